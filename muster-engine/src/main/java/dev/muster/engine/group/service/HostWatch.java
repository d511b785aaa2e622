package dev.muster.engine.group.service;

import dev.muster.core.group.model.HostId;
import dev.muster.engine.runtime.Deadline;
import dev.muster.store.group.Hosts;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Watches other processes: whether the kernel calls them dead, and for how long their counters of signs of life have
 * not moved, on our own clock. For the thread of the service alone.
 */
final class HostWatch {
    private static final System.Logger LOG = System.getLogger(HostWatch.class.getName());

    private final Hosts hosts;
    private final Runnable wake;
    private final Map<HostId, Watched> watched = new HashMap<>();
    private boolean deaf;

    private static final class Watched {
        /** Null: no call will come, so the process has to be asked for. */
        private AutoCloseable subscription;

        private volatile boolean gone;
        /** Empty: not known, which is not silence. */
        private OptionalLong beats;

        private long since;
    }

    HostWatch(Hosts hosts, Runnable wake) {
        this.hosts = hosts;
        this.wake = wake;
    }

    /** Watches these and no others from now on. */
    void watch(Set<HostId> wanted, long now) {
        watched.entrySet().removeIf(entry -> {
            boolean unwanted = !wanted.contains(entry.getKey());
            if (unwanted) {
                close(entry.getValue());
            }
            return unwanted;
        });
        for (HostId host : wanted) {
            if (!watched.containsKey(host)) {
                watched.put(host, begin(host, now));
            }
        }
    }

    private Watched begin(HostId host, long now) {
        Watched one = new Watched();
        one.beats = beats(host);
        one.since = now;
        listen(host, one);
        return one;
    }

    private void listen(HostId host, Watched one) {
        try {
            one.subscription = hosts.watch(host, dead -> {
                one.gone = true;
                wake.run();
            });
            deaf = false;
        } catch (RuntimeException e) {
            if (!deaf) {
                deaf = true;
                LOG.log(Level.WARNING, "process {0} cannot be watched, so it is asked: {1}", host, e.getMessage());
            }
        }
    }

    private static void close(Watched one) {
        if (one.subscription == null) {
            return;
        }
        try {
            one.subscription.close();
        } catch (Exception e) {
            LOG.log(Level.DEBUG, "a watched host could not be let go of", e);
        }
    }

    boolean isEmpty() {
        return watched.isEmpty();
    }

    /** Looks at all counters. */
    void look(long now) {
        watched.forEach((host, one) -> {
            if (one.subscription == null) {
                listen(host, one);
            }
            OptionalLong beats = beats(host);
            if (one.subscription == null || beats.isEmpty()) {
                one.gone |= hosts.gone(host);
            }
            if (beats.isEmpty() || !beats.equals(one.beats)) {
                one.beats = beats;
                one.since = now;
            }
        });
    }

    /** Asks for the kernel's word instead of waiting for it. */
    void ask() {
        watched.forEach((host, one) -> one.gone |= hosts.gone(host));
    }

    /**
     * Postpones the deadlines of all watched processes after a pause of this process, in which it saw no renewals (see
     * {@link Deadline#excused}). The next look sees the renewals that were made during the pause.
     */
    void excuse(long away, long now) {
        watched.values().forEach(one -> one.since = Deadline.excused(one.since, away, now));
    }

    /** The counter of a host as it can be seen now; empty when it cannot. */
    OptionalLong beats(HostId host) {
        return hosts.renewals(host);
    }

    /** Wall time of the last sign of life of a host, for people; empty when it is not known. */
    OptionalLong lastSign(HostId host) {
        return hosts.lastSign(host);
    }

    /** For how long this host has given no sign of life. */
    long silence(HostId host, long now) {
        Watched one = watched.get(host);
        return one == null ? 0 : now - one.since;
    }

    /** True if the kernel says that this host is dead. */
    boolean gone(HostId host) {
        Watched one = watched.get(host);
        return one != null && one.gone;
    }

    void close() {
        watched.values().forEach(HostWatch::close);
        watched.clear();
    }
}
