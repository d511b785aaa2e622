package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.disk.Disk;
import dev.muster.store.LogStore;
import dev.muster.store.file.check.CheckReport;
import dev.muster.store.file.check.DirectoryCheck;
import dev.muster.store.file.finding.Finding;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.testkit.disk.MemoryDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Opens file stores as tests need them. */
public final class Stores {
    private static final AtomicLong PIDS = new AtomicLong(1000);
    private static final AtomicLong BOOTS = new AtomicLong();
    private static final Map<UUID, Duration> OFFSETS = new ConcurrentHashMap<>();

    private Stores() {}

    /** On real files. */
    public static FileStore open(Path directory) {
        return FileStore.open(directory, FileStoreOptions.defaults().withAllowAnyFileSystem(true));
    }

    /** A store as a process of its own on a simulated machine. */
    public static FileStore open(Disk disk, Path directory, UUID bootId) {
        return FileStore.open(directory, options(disk, bootId));
    }

    public static FileStoreOptions options(Disk disk, UUID bootId) {
        long pid = PIDS.incrementAndGet();
        ProcessIdentity host = new ProcessIdentity(bootId, pid, pid, new UUID(pid, pid));
        return FileStoreOptions.defaults().withDisk(disk).withHost(host).withClock(clock(bootId));
    }

    /**
     * A machine is off for an hour between two boots. Otherwise its old heartbeats might be taken for those of another
     * machine.
     */
    private static Clock clock(UUID bootId) {
        Duration hours = OFFSETS.computeIfAbsent(bootId, _ -> Duration.ofHours(BOOTS.incrementAndGet()));
        return Clock.offset(Clock.systemUTC(), hours);
    }

    /** Asserts that the check finds no damage on the disk of the machine. */
    public static void checkIsClean(MemoryDisk machine, Path directory, UUID bootId) {
        CheckReport report = DirectoryCheck.run(directory, options(machine.process(), bootId), false, _ -> {});
        assertThat(damage(report)).as("damage found by the check").isEmpty();
    }

    /** Ends the threads of a simulated process that was killed. The threads of a real process end with it. */
    public static void endThreadsOf(LogStore killed) {
        try {
            killed.close();
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageContaining("killed");
        }
    }

    public static CheckReport check(Path directory) {
        return DirectoryCheck.run(directory, false, _ -> {});
    }

    public static List<Finding> damage(CheckReport report) {
        return report.findings().stream()
                .filter(finding -> finding.severity() == Finding.Severity.DAMAGE)
                .toList();
    }

    public static void deleteAll(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
