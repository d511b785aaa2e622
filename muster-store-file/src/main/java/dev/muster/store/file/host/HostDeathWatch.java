package dev.muster.store.file.host;

import dev.muster.core.group.model.HostId;
import dev.muster.disk.Bells;
import dev.muster.disk.Disk;
import dev.muster.store.watch.Registration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The thread that waits for the bells of other processes. When a bell rings, it checks the lock with growing pauses
 * until the process is gone, and then calls its listeners once. The lock of a process without a bell is checked every
 * {@value #POLL_MS} ms. The thread exists only if a host is watched.
 */
final class HostDeathWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HostDeathWatch.class.getName());
    private static final long POLL_MS = 100;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(POLL_MS);
    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long NOTHING_DUE_NANOS = TimeUnit.HOURS.toNanos(1);

    private final Disk disk;
    private final Path folder;
    private final Predicate<HostId> gone;
    // Guarded by this.
    private final Map<HostId, Watched> hosts = new HashMap<>();
    private Bells bells;
    private boolean reportedPolling;
    private boolean closed;

    /** One host. Guarded by the watch. */
    private static final class Watched {
        private final List<Listener> listeners = new ArrayList<>();
        private State state = State.NEW;
        // The time of the next check of the lock, and the pause after it. Not used while the thread waits for the bell.
        private long nextCheck;
        private long pause = POLL_NANOS;

        Watched(long now) {
            nextCheck = now;
        }
    }

    private enum State {
        /** Not checked yet. The first check finds a death that happened before. */
        NEW,
        /** The bell of the host is watched and will ring. */
        BELL_WATCHED,
        /** The bell of the host has rung, or the host has none. Its lock is checked. */
        LOCK_CHECKED
    }

    /** Equal to itself only, so that one consumer can watch twice. */
    private static final class Listener {
        private final Consumer<HostId> consumer;

        Listener(Consumer<HostId> consumer) {
            this.consumer = consumer;
        }
    }

    HostDeathWatch(Disk disk, Path folder, Predicate<HostId> gone) {
        this.disk = disk;
        this.folder = folder;
        this.gone = gone;
    }

    synchronized Registration watch(HostId host, Consumer<HostId> consumer) {
        Listener listener = new Listener(consumer);
        if (closed) {
            return () -> {};
        }
        hosts.computeIfAbsent(host, _ -> new Watched(disk.machine().nanoTime()))
                .listeners
                .add(listener);
        if (bells == null) {
            bells = openBells();
            disk.machine().thread("muster-hosts", this::run).start();
        }
        bells.wakeUp();
        return () -> forget(host, listener);
    }

    private Bells openBells() {
        try {
            return disk.bells();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot watch the bells of other processes: {0}", e.getMessage());
            return Bells.none();
        }
    }

    private synchronized void forget(HostId host, Listener listener) {
        Watched watched = hosts.get(host);
        if (watched != null && watched.listeners.remove(listener) && watched.listeners.isEmpty()) {
            hosts.remove(host);
            bells.forget(HostFiles.bellFile(folder, host));
        }
    }

    private void run() {
        try {
            while (!isClosed()) {
                List<Path> rung = bells.await(nanosToNextCheck());
                for (HostId host : due(rung)) {
                    check(host);
                }
            }
        } catch (IOException | RuntimeException e) {
            if (!isClosed()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "from now on the death of another process is seen by its heartbeat only: {0}",
                        e.getMessage());
            }
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized long nanosToNextCheck() {
        long now = disk.machine().nanoTime();
        long nanos = NOTHING_DUE_NANOS;
        for (Watched watched : hosts.values()) {
            if (watched.state != State.BELL_WATCHED) {
                nanos = Math.min(nanos, Math.max(0, watched.nextCheck - now));
            }
        }
        return nanos;
    }

    private synchronized List<HostId> due(List<Path> rung) {
        long now = disk.machine().nanoTime();
        List<HostId> due = new ArrayList<>();
        hosts.forEach((host, watched) -> {
            if (watched.state == State.BELL_WATCHED && rung.contains(HostFiles.bellFile(folder, host))) {
                watched.state = State.LOCK_CHECKED;
                watched.nextCheck = now;
                watched.pause = FIRST_PAUSE_NANOS;
            }
            if (watched.state != State.BELL_WATCHED && watched.nextCheck - now <= 0) {
                due.add(host);
            }
        });
        return due;
    }

    private void check(HostId host) {
        synchronized (this) {
            Watched watched = closed ? null : hosts.get(host);
            if (watched != null && watched.state == State.NEW) {
                // First the watch of the bell, then the check of the lock: so no death is missed between them.
                watched.state = watchBell(host) ? State.BELL_WATCHED : State.LOCK_CHECKED;
            }
        }
        boolean isGone = gone.test(host);
        List<Listener> toCall = List.of();
        synchronized (this) {
            Watched watched = closed ? null : hosts.get(host);
            if (watched != null && isGone) {
                hosts.remove(host);
                bells.forget(HostFiles.bellFile(folder, host));
                toCall = List.copyOf(watched.listeners);
            } else if (watched != null && watched.state == State.LOCK_CHECKED) {
                watched.nextCheck = disk.machine().nanoTime() + watched.pause;
                watched.pause = Math.min(POLL_NANOS, watched.pause * 2);
            }
        }
        toCall.forEach(listener -> call(listener, host));
    }

    private boolean watchBell(HostId host) {
        Path bell = HostFiles.bellFile(folder, host);
        try {
            if (bells.watch(bell)) {
                return true;
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot watch {0}: {1}", bell, e.getMessage());
        }
        if (!reportedPolling) {
            reportedPolling = true;
            LOG.log(
                    System.Logger.Level.INFO,
                    "a process has no bell, or this process cannot watch it: its lock is checked every {0} ms",
                    POLL_MS);
        }
        return false;
    }

    private static void call(Listener listener, HostId host) {
        try {
            listener.consumer.accept(host);
        } catch (RuntimeException | Error e) {
            // Any failure: the other listeners must still be called.
            LOG.log(System.Logger.Level.WARNING, "a listener for the end of " + host + " failed", e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (bells != null) {
            bells.close();
        }
    }
}
