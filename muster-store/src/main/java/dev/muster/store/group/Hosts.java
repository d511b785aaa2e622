package dev.muster.store.group;

import dev.muster.core.group.model.HostId;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** The processes that have a store open, and whether they live. Safe for use by many threads. */
public interface Hosts {
    /** This process. Its name was never used before and never will be again. */
    HostId self();

    /** The name of this machine, for people; empty if it is not known. */
    default String machine() {
        return "";
    }

    /** A sign of life, for all observers to see. */
    void beat();

    /**
     * The number of signs of life a host gave; empty when it has none to show, because it is gone. Cheap: no system
     * call once a host is known.
     */
    OptionalLong beats(HostId host);

    /**
     * Milliseconds since 1970 of the last sign of life of a host, by its own wall clock, also after its death; empty
     * when that is not known, or not known any more.
     */
    default OptionalLong lastSign(HostId host) {
        return OptionalLong.empty();
    }

    /**
     * The kernel's word, asked now: true only when that process is certainly dead, or closed its store. A stopped one
     * is not.
     */
    boolean gone(HostId host);

    /** True if no other process has the store open for certain. */
    default boolean alone() {
        return false;
    }

    /**
     * Watches a host from now on and calls back once when it is gone, within milliseconds, on a thread of the store; at
     * once when it is gone already. Costs nothing while nothing happens.
     */
    AutoCloseable onGone(HostId host, Consumer<HostId> listener);

    /**
     * Calls back when the store can no longer vouch for this process itself (a session or a connection is lost): its
     * members are out. Never happens on files.
     */
    AutoCloseable onLost(Runnable listener);
}
