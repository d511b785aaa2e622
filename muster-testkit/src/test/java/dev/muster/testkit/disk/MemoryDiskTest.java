package dev.muster.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.NoRoomException;
import dev.muster.disk.Page;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The disk loses everything that it may lose in some seed, and keeps everything that it must keep in all seeds. */
class MemoryDiskTest implements DiskContract {
    private static final int SEEDS = 300;
    private static final Path FOLDER = Path.of("/data");

    private final MemoryDisk machine = new MemoryDisk();
    private SimulatedProcess process = machine.process();

    @Override
    public Disk disk() {
        return process;
    }

    @Override
    public Path folder() {
        try {
            process.createFolders(FOLDER);
            process.syncFolder(FOLDER.getParent());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return FOLDER;
    }

    private static byte[] pattern(int from, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (1 + (from + i) % 251);
        }
        return bytes;
    }

    /** The content of a file after a power cut: 10,000 bytes were synced, and the 10,000 bytes behind them were not. */
    private static byte[] fileAfterCut(int seed, Tear tear) throws IOException {
        MemoryDisk machine = new MemoryDisk();
        Disk before = machine.process();
        Path file = Path.of("/file");
        DiskFile open = before.openForAppend(file);
        open.append(pattern(0, 10_000), 0, 10_000);
        open.sync();
        before.syncFolder(Path.of("/"));
        open.append(pattern(10_000, 10_000), 0, 10_000);
        machine.powerCut(new Random(seed), tear);
        return machine.process().readAll(file);
    }

    @Test
    void onlyUnsyncedBytesAreLostInAllPossibleWays() throws IOException {
        Set<String> outcomes = new TreeSet<>();
        Set<Integer> ends = new HashSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            byte[] left = fileAfterCut(seed, seed % 2 == 0 ? Tear.BYTES : Tear.SECTORS);
            assertThat(left.length).isBetween(10_000, 20_000);
            assertThat(Arrays.copyOf(left, 10_000)).isEqualTo(pattern(0, 10_000));
            byte[] whole = pattern(0, left.length);
            boolean hole = false;
            boolean dataBehindAHole = false;
            for (int i = 10_000; i < left.length; i++) {
                assertThat(left[i]).isIn((byte) 0, whole[i]);
                hole |= left[i] == 0;
                dataBehindAHole |= hole && left[i] != 0;
            }
            ends.add(left.length);
            outcomes.add(
                    left.length == 10_000
                            ? "nothing"
                            : dataBehindAHole
                                    ? "hole"
                                    : hole ? "zeros" : left.length == 20_000 ? "everything" : "prefix");
        }
        assertThat(outcomes).containsExactly("everything", "hole", "nothing", "prefix", "zeros");
        assertThat(ends).as("ends within a sector").anyMatch(end -> end % 512 != 0 && end != 20_000 && end != 10_000);
    }

    @Test
    void withSectorsAFileEndsAtASectorOrAnOldEnd() throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            int end = fileAfterCut(seed, Tear.SECTORS).length;
            assertThat(end == 20_000 || end == 10_000 || end % 512 == 0)
                    .as("end %d", end)
                    .isTrue();
        }
    }

    @Test
    void theSameSeedLeavesTheSameBytes() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            assertThat(fileAfterCut(seed, Tear.BYTES)).isEqualTo(fileAfterCut(seed, Tear.BYTES));
        }
    }

    @Test
    void syncedNamesAreKeptAndOthersMayBeLost() throws IOException {
        Set<Set<String>> left = new HashSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            MemoryDisk machine = new MemoryDisk();
            Disk before = machine.process();
            for (String name : new String[] {"kept", "moved", "deleted"}) {
                before.openForAppend(Path.of("/" + name)).close();
            }
            before.syncFolder(Path.of("/"));
            before.openForAppend(Path.of("/new")).close();
            before.link(Path.of("/new"), Path.of("/link"));
            before.rename(Path.of("/moved"), Path.of("/target"));
            before.delete(Path.of("/deleted"));
            machine.powerCut(new Random(seed), Tear.SECTORS);
            Set<String> names = new TreeSet<>(machine.process().list(Path.of("/")));
            assertThat(names).contains("kept");
            assertThat(names.contains("moved"))
                    .as("old name of a rename, which is there only without the new one")
                    .isNotEqualTo(names.contains("target"));
            left.add(names);
        }
        assertThat(left)
                .contains(
                        Set.of("kept", "moved", "deleted"),
                        Set.of("kept", "new", "link", "target"),
                        Set.of("kept", "moved", "deleted", "link"),
                        Set.of("kept", "new", "moved", "deleted"));
    }

    @Test
    void aSyncedFolderInAnUnsyncedOneMayBeLost() throws IOException {
        int lost = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            MemoryDisk machine = new MemoryDisk();
            Disk before = machine.process();
            before.createFolders(Path.of("/a/b"));
            DiskFile file = before.openForAppend(Path.of("/a/b/file"));
            file.append(new byte[] {1}, 0, 1);
            file.sync();
            before.syncFolder(Path.of("/a/b"));
            machine.powerCut(new Random(seed), Tear.SECTORS);
            Disk after = machine.process();
            if (!after.exists(Path.of("/a/b/file"))) {
                lost++;
            } else {
                assertThat(after.readAll(Path.of("/a/b/file"))).containsExactly(1);
            }
        }
        assertThat(lost).isBetween(SEEDS / 10, SEEDS * 9 / 10);
    }

    @Test
    void syncingEitherFolderMakesARenameDurable() throws IOException {
        for (String synced : new String[] {"/from", "/to"}) {
            for (int seed = 0; seed < 50; seed++) {
                MemoryDisk machine = new MemoryDisk();
                Disk before = machine.process();
                before.createFolders(Path.of("/from"));
                before.createFolders(Path.of("/to"));
                before.syncFolder(Path.of("/"));
                before.openForAppend(Path.of("/from/file")).close();
                before.rename(Path.of("/from/file"), Path.of("/to/file"));
                before.syncFolder(Path.of(synced));
                machine.powerCut(new Random(seed), Tear.SECTORS);
                Disk after = machine.process();
                assertThat(after.exists(Path.of("/to/file"))).isTrue();
                assertThat(after.exists(Path.of("/from/file"))).isFalse();
            }
        }
    }

    @Test
    void aNameMaySurviveWithoutItsContent() throws IOException {
        Set<Integer> sizes = new TreeSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            MemoryDisk machine = new MemoryDisk();
            Disk before = machine.process();
            DiskFile temporary = before.openForAppend(Path.of("/new"));
            temporary.append(new byte[] {1, 2, 3}, 0, 3);
            before.rename(Path.of("/new"), Path.of("/file"));
            before.syncFolder(Path.of("/"));
            machine.powerCut(new Random(seed), Tear.BYTES);
            sizes.add(machine.process().readAll(Path.of("/file")).length);
        }
        assertThat(sizes).containsExactly(0, 1, 2, 3);
    }

    @Test
    void afterAPowerCutAllEarlierFilesFail() throws Exception {
        Path file = folder().resolve("file");
        DiskFile open = process.openForAppend(file);
        process.syncFolder(FOLDER);
        assertThat(open.tryLock()).isTrue();
        Page page = process.page(folder().resolve("page"), new byte[64]);
        CompletableFuture<Void> waiter = CompletableFuture.runAsync(() -> {
            while (true) {
                page.awaitChange(new int[] {0}, new int[] {0}, TimeUnit.HOURS.toNanos(1));
            }
        });
        machine.powerCut(new Random(1), Tear.SECTORS);
        assertThatThrownBy(() -> open.append(new byte[1], 0, 1))
                .isInstanceOf(IOException.class)
                .hasMessage("power is off");
        assertThatThrownBy(open::sync).hasMessage("power is off");
        assertThatThrownBy(() -> process.list(FOLDER)).hasMessage("power is off");
        assertThatThrownBy(() -> page.get(0)).hasMessageContaining("power is off");
        assertThatThrownBy(() -> waiter.get(2, TimeUnit.MINUTES)).hasMessageContaining("power is off");
        open.close();
        page.close();
        try (DiskFile after = machine.process().openForAppend(file)) {
            assertThat(after.tryLock())
                    .as("a lock after the death of its holder")
                    .isTrue();
        }
    }

    @Test
    void aPageMayHoldAnythingAfterAPowerCut() throws IOException {
        Set<Long> words = new TreeSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            MemoryDisk machine = new MemoryDisk();
            Disk before = machine.process();
            byte[] initial = new byte[4096];
            Arrays.fill(initial, 0, 8, (byte) 0xff);
            Page page = before.page(Path.of("/page"), initial);
            before.syncFolder(Path.of("/"));
            try (DiskFile file = before.open(Path.of("/page"))) {
                file.sync();
            }
            IntStream.rangeClosed(1, 100).forEach(i -> page.set(0, i));
            machine.powerCut(new Random(seed), Tear.SECTORS);
            words.add(machine.process().page(Path.of("/page"), null).get(0));
        }
        assertThat(words).contains(-1L, 0L, 100L).hasSizeGreaterThan(3);
    }

    @Test
    void aKilledProcessFreesItsLocksAndKeepsItsBytes() throws IOException {
        Path file = folder().resolve("file");
        SimulatedProcess other = machine.process();
        DiskFile mine = process.openForAppend(file);
        mine.append(new byte[] {1, 2}, 0, 2);
        assertThat(mine.tryLock()).isTrue();
        DiskFile theirs = other.openForAppend(file);
        assertThat(theirs.tryLock()).isFalse();
        process.kill();
        assertThat(theirs.tryLock()).isTrue();
        assertThat(other.readAll(file)).containsExactly(1, 2);
        assertThatThrownBy(() -> mine.append(new byte[1], 0, 1)).isInstanceOf(IOException.class);
        mine.close();
        assertThat(theirs.tryLock())
                .as("a lock of a living process after a close by a dead one")
                .isTrue();
        assertThat(process.openFiles()).isZero();
        assertThat(other.openFiles()).isOne();
    }

    @Test
    void aProcessCanRestartOnlyInTheSameBoot() throws IOException {
        folder();
        process.kill();
        process = process.restart();
        assertThat(process.exists(FOLDER)).isTrue();
        machine.powerCut(new Random(1), Tear.SECTORS);
        assertThatThrownBy(process::restart).isInstanceOf(IOException.class).hasMessage("power is off");
    }

    @Test
    void aProcessKilledInAWriteLeavesPartOfIt() throws IOException {
        Path file = folder().resolve("file");
        for (int kept : new int[] {0, 1, 4095, 4096, 4097, 9_999}) {
            SimulatedProcess doomed = machine.process();
            doomed.delete(file);
            DiskFile open = doomed.openForAppend(file);
            doomed.killInNextAppend(kept);
            assertThatThrownBy(() -> open.append(pattern(0, 10_000), 0, 10_000)).isInstanceOf(IOException.class);
            assertThat(process.readAll(file)).isEqualTo(pattern(0, kept));
        }
    }

    @Test
    void aFullDiskWritesAPartUntilThereIsRoom() throws IOException {
        Path file = folder().resolve("file");
        machine.capacity(100);
        try (DiskFile open = process.openForAppend(file)) {
            open.append(pattern(0, 60), 0, 60);
            assertThatThrownBy(() -> open.append(pattern(60, 60), 0, 60)).isInstanceOf(NoRoomException.class);
            assertThat(process.readAll(file)).isEqualTo(pattern(0, 100));
            assertThatThrownBy(() -> process.page(folder().resolve("page"), new byte[64]))
                    .isInstanceOf(NoRoomException.class);
            assertThat(process.exists(folder().resolve("page"))).isFalse();
            machine.capacity(1_000);
            assertThat(open.append(pattern(100, 60), 0, 60)).isEqualTo(160);
            assertThat(machine.used()).isEqualTo(160);
        }
    }

    @Test
    void afterAFailedSyncTheNextOneSavesNothing() throws IOException {
        Path file = folder().resolve("file");
        DiskFile open = process.openForAppend(file);
        process.syncFolder(FOLDER);
        open.append(pattern(0, 100), 0, 100);
        machine.failSyncs(1);
        assertThatThrownBy(open::sync).isInstanceOf(IOException.class).hasMessage("Input/output error");
        open.sync();
        assertThat(process.readAll(file)).as("content in the page cache").isEqualTo(pattern(0, 100));
        machine.powerCut(new Random(1), Tear.SECTORS);
        assertThat(machine.process().readAll(file)).isEqualTo(new byte[100]);
    }

    /** Repeats until enough different sizes were seen. */
    @Test
    @Timeout(300)
    void aReaderSeesALongWriteGrow() throws Exception {
        Path file = folder().resolve("file");
        Set<Long> sizes = new TreeSet<>();
        try (DiskFile open = process.openForAppend(file)) {
            byte[] large = new byte[1 << 20];
            AtomicBoolean enough = new AtomicBoolean();
            Semaphore looked = new Semaphore(0);
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                try {
                    while (!enough.get()) {
                        // Writes only after a look of the reader; otherwise the file would grow without limit.
                        looked.acquireUninterruptibly();
                        looked.drainPermits();
                        open.append(large, 0, large.length);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!writer.isDone()) {
                sizes.add(process.size(file) % large.length);
                looked.release();
                enough.compareAndSet(false, sizes.size() > 3 || System.nanoTime() - deadline > 0);
            }
            writer.get();
        }
        assertThat(sizes).hasSizeGreaterThan(3).allMatch(size -> size % FileNode.PAGE == 0);
    }

    @Test
    void aReadOnlyProcessCannotWrite() throws IOException {
        Path file = folder().resolve("file");
        process.openForAppend(file).close();
        process.makeReadOnly();
        assertThat(process.writable(FOLDER)).isFalse();
        assertThatThrownBy(() -> process.openForAppend(file)).hasMessageContaining("read-only");
        assertThatThrownBy(() -> process.delete(file)).hasMessageContaining("read-only");
        process.open(file).close();
        assertThat(process.readAll(file)).isEmpty();
        process = machine.process();
        process.delete(file);
    }

    @Test
    void aDiskCanBeCopiedToARealFolder(@TempDir Path real) throws IOException {
        try (DiskFile open = process.openForAppend(folder().resolve("file"))) {
            open.append(new byte[] {1, 2}, 0, 2);
        }
        machine.copyTo(real);
        assertThat(Files.readAllBytes(real.resolve("data/file"))).containsExactly(1, 2);
    }
}
