package dev.muster.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.NoRoomException;
import dev.muster.testkit.disk.DiskCall.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FaultyDiskTest implements DiskContract {
    private final MemoryDisk machine = new MemoryDisk();
    private final FaultyDisk disk = new FaultyDisk(machine.process());
    private final Path file = Path.of("/file");

    @Override
    public Disk disk() {
        return disk;
    }

    @Override
    public Path folder() {
        return Path.of("/");
    }

    @Test
    void theChosenCallFailsOnceOrForEver() throws IOException {
        try (DiskFile open = disk.openForAppend(file)) {
            disk.arm(DiskFault.at(Kind.SYNC).nth(2));
            open.sync();
            assertThatThrownBy(open::sync).isInstanceOf(IOException.class).hasMessage("Input/output error");
            open.sync();
            assertThat(disk.fired()).isOne();
            disk.heal();
            disk.arm(DiskFault.at(Kind.SYNC).nth(2).fromThenOn());
            open.sync();
            assertThatThrownBy(open::sync).isInstanceOf(IOException.class);
            assertThatThrownBy(open::sync).isInstanceOf(IOException.class);
            assertThat(disk.fired()).isEqualTo(2);
            disk.heal();
            open.sync();
        }
        assertThat(disk.calls(Kind.SYNC)).isEqualTo(7);
        assertThat(disk.calls()).isEqualTo(8);
    }

    @Test
    void aFailedAppendMayWriteAPart() throws IOException {
        try (DiskFile open = disk.openForAppend(file)) {
            disk.arm(DiskFault.at(Kind.APPEND).noRoom(0.5));
            assertThatThrownBy(() -> open.append(new byte[] {0, 1, 2, 3, 4}, 1, 4))
                    .isInstanceOf(NoRoomException.class);
            assertThat(disk.readAll(file)).containsExactly(1, 2);
            assertThat(open.append(new byte[] {5}, 0, 1)).isEqualTo(3);
        }
    }

    @Test
    void everyKindOfCallCanFail() throws IOException {
        DiskFile open = disk.openForAppend(file);
        disk.arm(DiskFault.at().fromThenOn().tooManyOpenFiles());
        List<IoCall> calls = List.of(
                () -> disk.open(file),
                () -> disk.openForAppend(file),
                () -> disk.readAll(file),
                () -> disk.page(file, null),
                () -> disk.size(file),
                () -> disk.list(file),
                () -> disk.createFolders(file),
                () -> disk.rename(file, file),
                () -> disk.link(file, file),
                () -> disk.delete(file),
                () -> disk.syncFolder(file),
                () -> open.read(0, new byte[1], 0, 1),
                () -> open.append(new byte[1], 0, 1),
                open::sync,
                open::tryLock,
                open::unlock,
                () -> disk.isLocked(file),
                () -> disk.bell(file));
        for (IoCall call : calls) {
            assertThatThrownBy(call::run).hasMessage("Too many open files");
        }
        assertThat(calls).hasSameSizeAs(Kind.values());
        assertThat(disk.fired()).isEqualTo(calls.size());
        disk.heal();
        assertThat(disk.readAll(file)).as("content after failed calls").isEmpty();
    }

    private interface IoCall {
        void run() throws IOException;
    }

    @Test
    void hooksAreCalledBeforeAndAfterEachCall() throws IOException {
        List<String> seen = new ArrayList<>();
        disk.before(call -> seen.add("before " + call.kind() + " " + call.number()));
        disk.after(call -> seen.add("after " + call.kind()));
        disk.openForAppend(file).close();
        assertThatThrownBy(() -> disk.open(Path.of("/none"))).isInstanceOf(IOException.class);
        assertThat(seen).containsExactly("before OPEN_FOR_APPEND 1", "after OPEN_FOR_APPEND", "before OPEN 2");
    }

    @Test
    void aGateHoldsAThreadInACallUntilItsRelease() throws Exception {
        DiskFile open = disk.openForAppend(file);
        CallGate gate = disk.stopBefore(call -> call.is(Kind.APPEND) && call.isOn("file"));
        CompletableFuture<Void> sleeper = CompletableFuture.runAsync(() -> append(open));
        gate.awaitArrival(Duration.ofMinutes(2));
        append(open);
        assertThat(sleeper).isNotDone();
        assertThat(open.size()).as("size after the call that is not held").isOne();
        gate.release();
        sleeper.get(2, TimeUnit.MINUTES);
        assertThat(open.size()).isEqualTo(2);

        CallGate behind = disk.stopAfter(call -> call.is(Kind.APPEND));
        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> append(open));
        behind.awaitArrival(Duration.ofMinutes(2));
        assertThat(open.size()).as("size before the held call returns").isEqualTo(3);
        assertThat(second).isNotDone();
        behind.release();
        second.get(2, TimeUnit.MINUTES);
    }

    private static void append(DiskFile open) {
        try {
            open.append(new byte[] {1}, 0, 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anIgnoredSyncMakesNothingDurable() throws IOException {
        int kept = 0;
        for (int seed = 0; seed < 50; seed++) {
            MemoryDisk other = new MemoryDisk();
            FaultyDisk lying = new FaultyDisk(other.process());
            lying.ignore(call -> call.is(Kind.SYNC));
            DiskFile written = lying.openForAppend(file);
            lying.syncFolder(Path.of("/"));
            append(written);
            written.sync();
            other.powerCut(new Random(seed), Tear.SECTORS);
            kept += other.process().readAll(file).length == 1 ? 1 : 0;
        }
        assertThat(kept).isBetween(1, 49);
    }
}
