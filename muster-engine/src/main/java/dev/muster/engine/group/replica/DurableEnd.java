package dev.muster.engine.group.replica;

import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.SyncFailedException;
import dev.muster.store.group.GroupJournal;
import java.util.function.ToLongFunction;

/** The version up to which a group's journal is durable, with waits for later versions. Safe for many threads. */
final class DurableEnd {
    private final GroupJournal journal;
    private final GroupRuntime runtime;
    private final ToLongFunction<SyncFailedException> afterFailure;
    private volatile long end;

    /**
     * @param afterFailure function that replaces lines which the disk may have lost, and returns the version up to
     *     which the journal is durable then
     */
    DurableEnd(GroupJournal journal, GroupRuntime runtime, ToLongFunction<SyncFailedException> afterFailure) {
        this.journal = journal;
        this.runtime = runtime;
        this.afterFailure = afterFailure;
    }

    /** True if this process knows that all versions below this one are durable. */
    boolean covers(long version) {
        return version <= end;
    }

    /** Waits until all versions below this one are durable. A virtual thread does not block its carrier. */
    void await(long version) {
        if (!covers(version)) {
            runtime.blocking(() -> {
                awaitHere(version);
                return null;
            });
        }
    }

    /** As {@link #await}, on the calling thread. */
    void awaitHere(long version) {
        long covered = version;
        try {
            journal.awaitDurable(version);
        } catch (SyncFailedException e) {
            covered = afterFailure.applyAsLong(e);
        }
        synchronized (this) {
            end = Math.max(end, covered);
        }
    }
}
