package dev.muster.engine.group.replica;

import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.StoreClosedException;
import dev.muster.store.group.GroupDeletedException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Answers waiting requests when a state of the group has the answer, and not before that state is durable. Clients may
 * outlive this machine, so they hear nothing that a power cut could take back. For all threads.
 */
public final class DurableAnswers {
    private static final System.Logger LOG = System.getLogger(DurableAnswers.class.getName());

    private final GroupReplica replica;
    private final GroupRuntime runtime;
    private final Waiting waiting;
    private final AtomicBoolean answering = new AtomicBoolean();

    /** The waiting requests. */
    public interface Waiting {
        /** True if this state has an answer for one of them. */
        boolean hasAnswer(VersionedGroup seen);

        /** Answers all that this state has an answer for. It is durable. */
        void answer(VersionedGroup seen);

        /** The group is gone: there will be no other answer. */
        void close();
    }

    public DurableAnswers(GroupReplica replica, GroupRuntime runtime, Waiting waiting) {
        this.replica = replica;
        this.runtime = runtime;
        this.waiting = waiting;
    }

    /** Answers what the newest state that is known has answers for, now or when that is durable. Does not block. */
    public void look() {
        VersionedGroup seen = replica.known();
        if (seen == null || !waiting.hasAnswer(seen)) {
            return;
        }
        if (replica.isDurable(seen)) {
            waiting.answer(seen);
        } else if (answering.compareAndSet(false, true)) {
            runtime.inBackground(this::answerWhenDurable);
        }
    }

    private void answerWhenDurable() {
        // A request from now on begins again.
        answering.set(false);
        VersionedGroup seen = replica.known();
        try {
            replica.awaitDurable(seen);
            waiting.answer(seen);
        } catch (GroupDeletedException | StoreClosedException e) {
            LOG.log(Level.DEBUG, "group {0} is gone", replica.name());
            waiting.close();
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "generation {0} of group {1} is not durable, so no client hears of it: {2}",
                    seen.group().generation(),
                    replica.name(),
                    e.getMessage());
        }
    }
}
