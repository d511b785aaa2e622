package dev.muster.testkit.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.HostId;
import dev.muster.store.file.check.CheckReport;
import dev.muster.store.file.check.DirectoryCheck;
import dev.muster.store.file.check.Finding;
import dev.muster.store.file.check.Finding.Severity;
import dev.muster.store.file.disk.Disk;
import dev.muster.testkit.disk.MemoryDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Opens file stores as tests need them. */
final class Stores {
    private static final AtomicLong PIDS = new AtomicLong(1000);

    private Stores() {}

    /** On real files. */
    static FileStore open(Path directory) {
        return FileStore.open(directory, FileStoreOptions.defaults().withAllowAnyFileSystem(true));
    }

    /** As a process of its own on a simulated machine. */
    static FileStore open(Disk disk, Path directory, UUID bootId) {
        long pid = PIDS.incrementAndGet();
        HostId host = new HostId(bootId, pid, pid, new UUID(pid, pid));
        return FileStore.open(
                directory,
                FileStoreOptions.defaults().withDisk(disk).withHost(host).withAllowAnyFileSystem(true));
    }

    static CheckReport check(Path directory) {
        return DirectoryCheck.run(directory, false, _ -> {});
    }

    /** The tool that checks directories finds no damage in what the machine has on disk. */
    static void checkIsClean(MemoryDisk machine, Path directory) {
        try {
            Path copy = Files.createTempDirectory("muster-check");
            try {
                machine.copyTo(copy);
                List<Finding> damage = check(copy.resolve(directory.getRoot().relativize(directory))).findings().stream()
                        .filter(finding -> finding.severity() == Severity.DAMAGE)
                        .toList();
                assertThat(damage).as("findings of the check").isEmpty();
            } finally {
                deleteAll(copy);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void deleteAll(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
