package dev.muster.engine.group.replica;

import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.StoreClosedException;
import dev.muster.store.group.GroupDeletedException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Answers waiting requests when the group's state has the answer and is durable. Clients may outlive this machine, so
 * no answer may depend on lines that a power cut could remove. Safe for many threads.
 */
public final class DurableAnswers {
    private static final System.Logger LOG = System.getLogger(DurableAnswers.class.getName());

    private final GroupReplica replica;
    private final GroupRuntime runtime;
    private final Waiting waiting;
    private final AtomicBoolean answering = new AtomicBoolean();

    /** The waiting requests. */
    public interface Waiting {
        /** True if this state has an answer for a waiting request. */
        boolean hasAnswer(VersionedGroup seen);

        /** Answers all requests for which this durable state has an answer. */
        void answer(VersionedGroup seen);

        /** Ends all requests, because the group was deleted. */
        void close();
    }

    public DurableAnswers(GroupReplica replica, GroupRuntime runtime, Waiting waiting) {
        this.replica = replica;
        this.runtime = runtime;
        this.waiting = waiting;
    }

    /**
     * Answers the requests for which the newest known state has answers, now or when that state is durable. Does not
     * block.
     */
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
        // A later request starts this task again.
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
                    "generation {0} of group {1} is not durable, so no client gets it: {2}",
                    seen.group().generation(),
                    replica.name(),
                    e.getMessage());
        }
    }
}
