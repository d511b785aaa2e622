package dev.muster.store.group;

import dev.muster.core.group.model.HostId;
import dev.muster.store.watch.Registration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** The processes that have a store open, and whether they live. Safe for use by many threads. */
public interface Hosts {
    /**
     * The host of this process. Its id was never used before and will never be used again. It changes if the store lost
     * this process, before the listeners of {@link #onLost} are called.
     */
    HostId self();

    /** The name of this machine, for people; empty if it is not known. */
    default String machine() {
        return "";
    }

    /**
     * Renews the lease of this process. When this returns, all other hosts can see the renewal. Besides, this process
     * then knows every line that any process had appended to any journal before this call began:
     * {@link GroupJournal#endVersion} counts it.
     *
     * @throws dev.muster.store.StoreUnavailableException if the store cannot be reached. The last lease runs on
     */
    Lease renew();

    /**
     * The number of renewals that a host made, as far as this process knows; empty if the host is gone or not known. A
     * number that does not change means silence. A process that cannot reach the store sees all other hosts silent.
     * Once a host is known the call reads memory.
     */
    OptionalLong renewals(HostId host);

    /**
     * Watches a host, and calls the listener once when the host is gone; at once if it is gone already. The listener
     * runs on a thread of the store. A watch costs nothing until then. The file store calls the listener within
     * milliseconds.
     */
    Registration watch(HostId host, Consumer<HostId> listener);

    /**
     * Milliseconds since 1970 of the last renewal of a host, by that host's wall clock, also after its death; empty if
     * it is not known, or not known any more.
     */
    default OptionalLong lastSign(HostId host) {
        return OptionalLong.empty();
    }

    /**
     * True if it is certain at this moment that the process is dead, closed its store, or was lost by the store. A
     * stopped process is not gone. The call asks the store and may block.
     */
    boolean gone(HostId host);

    /** True if it is certain that no other process has the store open. */
    default boolean alone() {
        return false;
    }

    /**
     * Calls the listener when the store no longer counts this process as alive, because a session or a connection was
     * lost and the lease is over. Other processes then expel the members of the old host id. The process goes on as a
     * new host. This never happens in the file store.
     */
    Registration onLost(Runnable listener);
}
