package dev.muster.store.group;

import dev.muster.core.group.model.HostId;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** The processes that have a store open, and their signs of life. Safe for use by many threads. */
public interface Hosts {
    /** The host of this process. Its id was never used before and will never be used again. */
    HostId self();

    /** The name of this machine, for people; empty if it is not known. */
    default String machine() {
        return "";
    }

    /** Gives a sign of life that all other hosts can see. */
    void beat();

    /**
     * The number of signs of life that a host gave; empty if the host is gone. Once a host is known the call makes no
     * system call.
     */
    OptionalLong beats(HostId host);

    /**
     * Milliseconds since 1970 of the last sign of life of a host, by that host's wall clock, also after its death;
     * empty if it is not known, or not known any more.
     */
    default OptionalLong lastSign(HostId host) {
        return OptionalLong.empty();
    }

    /**
     * True if that process is certainly dead or closed its store, by the kernel's answer at this moment. A stopped
     * process is not gone.
     */
    boolean gone(HostId host);

    /** True if it is certain that no other process has the store open. */
    default boolean alone() {
        return false;
    }

    /**
     * Watches a host and calls the listener once, within milliseconds after the host is gone; at once if it is gone
     * already. The listener runs on a thread of the store. A watch costs nothing until then.
     */
    AutoCloseable onGone(HostId host, Consumer<HostId> listener);

    /**
     * Calls the listener when the store no longer counts this process as alive, because a session or a connection was
     * lost. Its members are then expelled. This never happens in the file store.
     */
    AutoCloseable onLost(Runnable listener);
}
