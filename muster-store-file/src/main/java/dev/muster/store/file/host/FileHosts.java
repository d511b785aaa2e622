package dev.muster.store.file.host;

import dev.muster.core.group.model.HostId;
import dev.muster.disk.Disk;
import dev.muster.disk.MachineName;
import dev.muster.disk.Page;
import dev.muster.disk.PageStamp;
import dev.muster.store.group.Hosts;
import dev.muster.store.group.Lease;
import dev.muster.store.watch.Registration;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** The processes that have a directory open, as this process sees them. Safe for many threads. */
public final class FileHosts implements Hosts, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FileHosts.class.getName());
    // Names come from journals that other processes have written, and must not lead to other files.
    private static final Pattern NAME = Pattern.compile("[0-9A-Za-z-]{1,200}");

    /** The time in which a running process creates its lock again. It checks the lock at least every five seconds. */
    private static final long RECREATE_NANOS = Duration.ofSeconds(10).toNanos();

    private final Disk disk;
    private final Path folder;
    private final ProcessIdentity self;
    private final HostFiles own;
    private final HostDeathWatch watch;
    private final Map<HostId, Known> known = new ConcurrentHashMap<>();
    /** Running processes without a lock file, with the time when that was first seen. */
    private final Map<HostId, Long> missing = new ConcurrentHashMap<>();

    /** The knowledge about a host. */
    private sealed interface Known {
        /**
         * A dead host. Its state is final, because its name is never used again.
         *
         * @param lastSign the last sign of life in milliseconds since 1970; empty if the host was not seen alive
         */
        record Gone(OptionalLong lastSign) implements Known {}

        record Seen(Page heartbeat) implements Known {}
    }

    /**
     * @param own the files of this process; null if it may only read: it sees the others, and no other process sees it
     */
    public FileHosts(Disk disk, Path folder, ProcessIdentity self, HostFiles own) {
        this.disk = disk;
        this.folder = folder;
        this.self = self;
        this.own = own;
        this.watch = new HostDeathWatch(disk, folder, this::gone);
    }

    @Override
    public HostId self() {
        return self.hostId();
    }

    @Override
    public String machine() {
        return MachineName.read();
    }

    @Override
    public Lease renew() {
        if (own != null) {
            own.renew();
        }
        return Lease.UNTIL_DEATH;
    }

    @Override
    public OptionalLong renewals(HostId host) {
        Known now = known.get(host);
        if (now instanceof Known.Seen(Page heartbeat) && !PageStamp.isOwn(heartbeat)) {
            // The page was truncated, and its process creates another one.
            known.remove(host, now);
            now = null;
        }
        if (now == null) {
            now = lookUp(host);
        }
        return switch (now) {
            case null -> OptionalLong.empty();
            case Known.Gone _ -> OptionalLong.empty();
            case Known.Seen seen ->
                seen.heartbeat().get(HostFiles.CLOSED_AT) != 0
                        ? OptionalLong.empty()
                        : OptionalLong.of(seen.heartbeat().get(HostFiles.COUNT_AT));
        };
    }

    /** The heartbeat file outlives its process until the next housekeeping. */
    @Override
    public OptionalLong lastSign(HostId host) {
        if (known.get(host) instanceof Known.Seen seen) {
            return time(seen.heartbeat());
        }
        if (known.get(host) instanceof Known.Gone(var last) && last.isPresent()) {
            return last;
        }
        return NAME.matcher(host.value()).matches() ? lastSignOnDisk(host) : OptionalLong.empty();
    }

    private OptionalLong lastSignOnDisk(HostId host) {
        try {
            Path file = HostFiles.heartbeatFile(folder, host);
            return disk.size(file) < HostFiles.PAGE_SIZE ? OptionalLong.empty() : time(disk.pageForReading(file));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot see the last heartbeat of {0}: {1}", host, e.getMessage());
            return OptionalLong.empty();
        }
    }

    private static OptionalLong time(Page heartbeat) {
        long time = heartbeat.get(HostFiles.TIME_AT);
        return time > 0 ? OptionalLong.of(time) : OptionalLong.empty();
    }

    private Known lookUp(HostId host) {
        if (gone(host)) {
            return known.get(host);
        }
        try {
            Page page = disk.pageForReading(HostFiles.heartbeatFile(folder, host));
            if (page.size() < HostFiles.PAGE_SIZE) {
                return null;
            }
            Known seen = new Known.Seen(page);
            Known raced = known.putIfAbsent(host, seen);
            return raced != null ? raced : seen;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot see the heartbeat of {0}: {1}", host, e.getMessage());
            return null;
        }
    }

    @Override
    public boolean gone(HostId host) {
        return switch (known.get(host)) {
            case Known.Gone _ -> true;
            case Known.Seen seen when seen.heartbeat().get(HostFiles.CLOSED_AT) != 0 -> markGone(host);
            case null -> !NAME.matcher(host.value()).matches() || isUnlocked(host);
            case Known.Seen _ -> isUnlocked(host);
        };
    }

    @Override
    public boolean alone() {
        try {
            return disk.list(folder).stream()
                    .filter(name -> name.endsWith(HostFiles.LOCK))
                    .map(name -> new HostId(name.substring(0, name.length() - HostFiles.LOCK.length())))
                    .allMatch(host -> host.equals(self()) || gone(host));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot list the processes in {0}: {1}", folder, e.getMessage());
            return false;
        }
    }

    private boolean isUnlocked(HostId host) {
        try {
            boolean locked = disk.isLocked(HostFiles.lockFile(folder, host));
            if (locked && !missing.isEmpty()) {
                missing.remove(host);
            }
            return !locked && markGone(host);
        } catch (NoSuchFileException e) {
            return !mayRecreateLock(host) && markGone(host);
        } catch (IOException e) {
            // A process whose lock cannot be checked is not treated as dead.
            LOG.log(System.Logger.Level.DEBUG, "cannot ask for the lock of {0}: {1}", host, e.getMessage());
            return false;
        }
    }

    /**
     * True if a running process may create its missing lock file again, because the file is missing for a short time
     * only. A cleaning program may have deleted it.
     */
    private boolean mayRecreateLock(HostId host) {
        if (!self.seesRunning(disk.machine(), host.value())) {
            return false;
        }
        long now = disk.machine().nanoTime();
        return now - missing.computeIfAbsent(host, _ -> now) < RECREATE_NANOS;
    }

    private boolean markGone(HostId host) {
        missing.remove(host);
        known.compute(host, (_, before) -> switch (before) {
            case null -> new Known.Gone(OptionalLong.empty());
            case Known.Seen seen -> new Known.Gone(time(seen.heartbeat()));
            case Known.Gone gone -> gone;
        });
        return true;
    }

    @Override
    public Registration watch(HostId host, Consumer<HostId> listener) {
        return watch.watch(host, listener);
    }

    @Override
    public Registration onLost(Runnable listener) {
        return () -> {};
    }

    @Override
    public void close() {
        watch.close();
    }
}
