package dev.muster.testkit.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.disk.Bell;
import dev.muster.disk.Bells;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.Page;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The tests that every disk passes, real or simulated. Without them, tests on simulated disks would prove nothing. */
interface DiskContract {
    Disk disk();

    /** An empty folder on that disk. */
    Path folder();

    private static void write(Disk disk, Path file, String text) throws IOException {
        try (DiskFile open = disk.openForAppend(file)) {
            byte[] bytes = text.getBytes(UTF_8);
            open.append(bytes, 0, bytes.length);
        }
    }

    private static String read(Disk disk, Path file) throws IOException {
        return new String(disk.readAll(file), UTF_8);
    }

    @Test
    default void appendsGoToTheEndAndReturnIt() throws IOException {
        Path file = folder().resolve("a");
        try (DiskFile first = disk().openForAppend(file);
                DiskFile second = disk().openForAppend(file)) {
            assertThat(first.append(new byte[] {9, 1, 2, 9}, 1, 2)).isEqualTo(2);
            assertThat(second.append(new byte[] {3}, 0, 1)).isEqualTo(3);
            assertThat(first.append(new byte[] {4}, 0, 1)).isEqualTo(4);
            assertThat(first.size()).isEqualTo(4).isEqualTo(disk().size(file));
        }
        assertThat(disk().readAll(file)).containsExactly(1, 2, 3, 4);
    }

    @Test
    default void readsEndAtTheEndOfTheFile() throws IOException {
        Path file = folder().resolve("a");
        write(disk(), file, "hello");
        try (DiskFile open = disk().open(file)) {
            byte[] into = new byte[10];
            assertThat(open.read(1, into, 2, 3)).isEqualTo(3);
            assertThat(new String(into, 2, 3, UTF_8)).isEqualTo("ell");
            assertThat(open.read(3, into, 0, 10)).isEqualTo(2);
            assertThat(open.read(5, into, 0, 10)).isZero();
            assertThat(open.read(500, into, 0, 10)).isZero();
        }
    }

    @Test
    default void aMissingFileCannotBeRead() throws IOException {
        Path missing = folder().resolve("missing");
        assertThatThrownBy(() -> disk().open(missing)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> disk().readAll(missing)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> disk().size(missing)).isInstanceOf(NoSuchFileException.class);
        assertThat(disk().exists(missing)).isFalse();
        assertThat(disk().list(missing)).isEmpty();
    }

    @Test
    default void aRenameReplacesAFileThatStaysOpen() throws IOException {
        Path from = folder().resolve("from");
        Path to = folder().resolve("to");
        write(disk(), to, "old");
        try (DiskFile old = disk().open(to)) {
            write(disk(), from, "new");
            disk().rename(from, to);
            assertThat(read(disk(), to)).isEqualTo("new");
            assertThat(disk().exists(from)).isFalse();
            try (DiskFile opened = disk().openForAppend(to)) {
                opened.append(new byte[] {'!'}, 0, 1);
            }
            assertThat(read(disk(), to)).isEqualTo("new!");
            byte[] into = new byte[3];
            assertThat(old.read(0, into, 0, 3)).isEqualTo(3);
            assertThat(new String(into, UTF_8)).isEqualTo("old");
        }
    }

    @Test
    default void aFolderIsRenamedUnlessTheTargetIsNotEmpty() throws IOException {
        Path from = folder().resolve("x/y");
        disk().createFolders(from);
        disk().createFolders(folder().resolve("full"));
        write(disk(), from.resolve("file"), "text");
        write(disk(), folder().resolve("full/file"), "other");
        assertThatIOException().isThrownBy(() -> disk().rename(from, folder().resolve("full")));
        disk().rename(from, folder().resolve("z"));
        assertThat(read(disk(), folder().resolve("z/file"))).isEqualTo("text");
        assertThat(disk().list(folder().resolve("x"))).isEmpty();
        assertThatThrownBy(() -> disk().rename(from, folder().resolve("w"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    default void aLinkIsTheSameFileAndNeedsAFreeName() throws IOException {
        Path one = folder().resolve("one");
        Path two = folder().resolve("two");
        write(disk(), one, "a");
        disk().link(one, two);
        write(disk(), two, "b");
        disk().delete(one);
        assertThat(read(disk(), two)).isEqualTo("ab");
        write(disk(), one, "c");
        assertThatThrownBy(() -> disk().link(one, two)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(read(disk(), two)).isEqualTo("ab");
    }

    @Test
    default void deletingAMissingFileDoesNothing() throws IOException {
        Path below = folder().resolve("f/g");
        disk().createFolders(below);
        write(disk(), below.resolve("file"), "x");
        assertThatIOException().isThrownBy(() -> disk().delete(below));
        disk().delete(below.resolve("file"));
        disk().delete(below.resolve("file"));
        disk().delete(below);
        assertThat(disk().list(folder().resolve("f"))).isEmpty();
        disk().syncFolder(folder());
    }

    @Test
    default void aFolderListsNamesWithoutPaths() throws IOException {
        disk().createFolders(folder().resolve("b/c"));
        disk().createFolders(folder().resolve("b/c"));
        write(disk(), folder().resolve("a"), "");
        assertThat(disk().list(folder())).containsExactlyInAnyOrder("a", "b");
        assertThat(disk().list(folder().resolve("a"))).as("names in a file").isEmpty();
    }

    @Test
    default void anotherFileOfTheSameNameHasAnotherIdentity() throws IOException {
        Path file = folder().resolve("a");
        write(disk(), file, "one");
        FileIdentity first = disk().identity(file);
        try (DiskFile open = disk().openForAppend(file)) {
            assertThat(open.identity()).isEqualTo(first);
            Page page = disk().page(file, null);
            assertThat(page.identity()).isEqualTo(first);

            disk().rename(file, folder().resolve("b"));
            assertThatThrownBy(() -> disk().identity(file)).isInstanceOf(NoSuchFileException.class);
            write(disk(), file, "two");
            assertThat(disk().identity(file)).isNotEqualTo(first);
            assertThat(disk().identity(folder().resolve("b"))).isEqualTo(first);
            assertThat(open.identity()).isEqualTo(first);
            assertThat(page.identity()).isEqualTo(first);
            try (DiskFile second = disk().openForAppend(file)) {
                assertThat(second.identity()).isEqualTo(disk().identity(file));
                assertThat(read(disk(), file)).isEqualTo("two");
            }
            page.close();
        }
        assertThat(disk().identity(folder())).isEqualTo(disk().identity(folder()));
    }

    @Test
    default void aLockBelongsToOneOpenFile() throws IOException {
        Path file = folder().resolve("lock");
        DiskFile first = disk().openForAppend(file);
        try (DiskFile second = disk().openForAppend(file)) {
            assertThat(first.tryLock()).isTrue();
            assertThat(second.tryLock()).isFalse();
            disk().open(file).close();
            assertThat(second.tryLock())
                    .as("a lock while another open file of the process is closed")
                    .isFalse();
            first.unlock();
            assertThat(second.tryLock()).isTrue();
            assertThat(first.tryLock()).isFalse();
            second.unlock();
            assertThat(first.tryLock()).isTrue();
            first.close();
            assertThat(second.tryLock())
                    .as("a lock after its holder was closed")
                    .isTrue();
        } finally {
            first.close();
        }
    }

    @Test
    default void anInterruptedCallerKeepsFilesAndLocks() throws IOException {
        Path file = folder().resolve("file");
        try (DiskFile open = disk().openForAppend(file);
                DiskFile other = disk().openForAppend(file)) {
            assertThat(open.tryLock()).isTrue();
            Thread.currentThread().interrupt();
            open.append(new byte[] {1, 2}, 0, 2);
            assertThat(open.read(0, new byte[2], 0, 2)).isEqualTo(2);
            open.sync();
            disk().syncFolder(folder());
            assertThat(disk().readAll(file)).hasSize(2);
            assertThat(disk().page(folder().resolve("page"), new byte[64]).get(0))
                    .isZero();
            assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
            open.append(new byte[] {3}, 0, 1);
            assertThat(other.read(0, new byte[9], 0, 9)).isEqualTo(3);
            assertThat(other.tryLock()).isFalse();
        } finally {
            boolean _ = Thread.interrupted();
        }
    }

    @Test
    default void aPageIsMadeOnceAndShared() throws IOException {
        Path file = folder().resolve("page");
        byte[] ones = new byte[4096];
        ones[0] = 1;
        try (Page first = disk().page(file, ones);
                Page second = disk().page(file, new byte[4096])) {
            assertThat(second.get(0)).isEqualTo(first.get(0)).isNotZero();
            first.set(8, 42);
            assertThat(second.get(8)).isEqualTo(42);
            assertThat(second.compareAndSet(8, 41, 1)).isFalse();
            assertThat(second.compareAndSet(8, 42, 43)).isTrue();
            assertThat(first.raise(8, 40)).isFalse();
            assertThat(first.raise(8, 50)).isTrue();
            assertThat(second.get(8)).isEqualTo(50);
            assertThat(first.getAndAddInt(16, 3)).isZero();
            assertThat(second.getAndSetInt(16, 7)).isEqualTo(3);
            assertThat(first.getInt(16)).isEqualTo(7);
            assertThat(first.writable()).isTrue();
        }
        assertThat(disk().size(file)).isEqualTo(4096);
        assertThatThrownBy(() -> disk().page(folder().resolve("none"), null)).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    default void aChangeOfAWordWakesAWaitingThread() throws Exception {
        try (Page page = disk().page(folder().resolve("page"), new byte[4096])) {
            page.awaitChange(new int[] {4}, new int[] {1}, TimeUnit.HOURS.toNanos(1)); // differs: returns at once
            page.awaitChange(new int[] {4}, new int[] {0}, 1_000_000); // times out
            CompletableFuture<Void> waiter = CompletableFuture.runAsync(
                    () -> {
                        while (page.getInt(4) == 0) {
                            page.awaitChange(new int[] {0, 4}, new int[] {0, 0}, TimeUnit.HOURS.toNanos(1));
                        }
                    },
                    task -> Thread.ofPlatform().daemon().start(task));
            page.getAndAddInt(4, 1);
            page.wakeAll(4);
            waiter.get(2, TimeUnit.MINUTES);
        }
    }

    @Test
    default void isLockedTakesNoLock() throws IOException {
        Path file = folder().resolve("file");
        assertThatThrownBy(() -> disk().isLocked(file)).isInstanceOf(NoSuchFileException.class);
        try (DiskFile held = disk().openForAppend(file)) {
            assertThat(disk().isLocked(file)).isFalse();
            assertThat(held.tryLock()).as("a lock after isLocked").isTrue();
            assertThat(disk().isLocked(file)).isTrue();
            assertThat(disk().isLocked(file)).as("locked after a first look").isTrue();
            held.unlock();
            assertThat(disk().isLocked(file)).isFalse();
            assertThat(held.tryLock()).isTrue();
        }
        assertThat(disk().isLocked(file)).isFalse();
    }

    @Test
    default void aBellRingsWhenItIsClosed() throws Exception {
        Path file = folder().resolve("a.bell");
        Path silent = folder().resolve("b.bell");
        long hour = TimeUnit.HOURS.toNanos(1);
        try (Bells bells = disk().bells();
                Bell _ = disk().bell(silent)) {
            assertThat(bells.watch(folder().resolve("none.bell"))).isFalse();
            Bell bell = disk().bell(file);
            assumeTrue(bells.watch(file), "this disk has bells");
            assertThat(bells.watch(silent)).isTrue();
            assertThat(bells.await(1_000_000)).isEmpty();
            CompletableFuture<List<Path>> heard = CompletableFuture.supplyAsync(
                    () -> awaitRing(bells), task -> Thread.ofPlatform().daemon().start(task));
            bell.close();
            assertThat(heard.get(2, TimeUnit.MINUTES)).containsExactly(file);
            disk().delete(file);
            assertThat(bells.watch(file)).isFalse();
            bells.wakeUp();
            assertThat(bells.await(hour)).as("rings after a wake-up").isEmpty();
            bells.forget(silent);
            bells.wakeUp();
            assertThat(bells.await(hour)).isEmpty();
        }
    }

    private static List<Path> awaitRing(Bells bells) {
        try {
            List<Path> rung = bells.await(TimeUnit.HOURS.toNanos(1));
            while (rung.isEmpty()) {
                rung = bells.await(TimeUnit.HOURS.toNanos(1));
            }
            return rung;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    default void closeOfBellsEndsAWait() throws Exception {
        Bells bells = disk().bells();
        CompletableFuture<Void> waiter = CompletableFuture.runAsync(
                () -> {
                    try {
                        assertThat(bells.await(TimeUnit.HOURS.toNanos(1))).isEmpty();
                    } catch (IOException e) {
                        // The bells were closed before the wait began.
                        assertThat(e).hasMessageContaining("closed");
                    }
                },
                task -> Thread.ofPlatform().daemon().start(task));
        bells.close();
        waiter.get(2, TimeUnit.MINUTES);
    }
}
