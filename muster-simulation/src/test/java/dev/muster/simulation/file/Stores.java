package dev.muster.simulation.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.disk.Disk;
import dev.muster.store.LogStore;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.check.DirectoryCheck;
import dev.muster.store.file.finding.Finding;
import dev.muster.store.file.host.ProcessIdentity;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Opens and checks directories for the tests of this package. */
public final class Stores {
    private static final AtomicLong PIDS = new AtomicLong(1000);
    private static final Map<UUID, Duration> CLOCKS = new HashMap<>();

    private Stores() {}

    /** Opens a directory on the real disk. */
    static FileStore open(Path directory) {
        return FileStore.open(directory, FileStoreOptions.defaults().withAllowAnyFileSystem(true));
    }

    /** Opens a directory as another process of this boot. */
    static FileStore open(Disk disk, Path directory, UUID bootId) {
        return FileStore.open(directory, options(disk, bootId));
    }

    public static FileStoreOptions options(Disk disk, UUID bootId) {
        long pid = PIDS.incrementAndGet();
        return FileStoreOptions.defaults()
                .withDisk(disk)
                .withHost(new ProcessIdentity(bootId, pid, pid, new UUID(pid, pid)))
                .withClock(clock(bootId));
    }

    /**
     * A clock that is an hour later for each further boot. Otherwise old heartbeats could look like those of another
     * machine.
     */
    private static Clock clock(UUID bootId) {
        synchronized (CLOCKS) {
            Duration ahead = CLOCKS.computeIfAbsent(bootId, _ -> Duration.ofHours(CLOCKS.size() + 1));
            return Clock.offset(Clock.systemUTC(), ahead);
        }
    }

    /** The damage that a check of the directory finds. */
    static List<Finding> damage(Path directory) {
        return DirectoryCheck.run(directory, false, _ -> {}).findings().stream()
                .filter(finding -> finding.severity() == Finding.Severity.DAMAGE)
                .toList();
    }

    /** Closes the store of a simulated process that was killed, so that its threads end. */
    static void endThreadsOf(LogStore killed) {
        try {
            killed.close();
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageContaining("killed");
        }
    }
}
