package dev.muster.engine.group.replica;

import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.StoreClosedException;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.store.group.GroupDeletedException;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The proposals of one group that wait for their deadlines, each with the reason for it. A proposal is submitted in the
 * background at its deadline. It is submitted again every second until its reason is removed, because an attempt may
 * fail. For the thread of the service alone.
 */
public final class ScheduledProposals {
    private static final System.Logger LOG = System.getLogger(ScheduledProposals.class.getName());
    private static final long AGAIN_NANOS = 1_000_000_000;

    private final GroupReplica replica;
    private final GroupRuntime runtime;
    private final Runnable wake;
    /** In the order of insertion. The order of their hashes would differ from JVM to JVM. */
    private final Map<Object, ScheduledProposal> byReason = new LinkedHashMap<>();

    /** @param wake action after each attempt; from any thread */
    public ScheduledProposals(GroupReplica replica, GroupRuntime runtime, Runnable wake) {
        this.replica = replica;
        this.runtime = runtime;
        this.wake = wake;
    }

    /** Adds a proposal for a reason that has none yet. */
    public void addIfAbsent(Object reason, Supplier<ScheduledProposal> proposal) {
        byReason.computeIfAbsent(reason, _ -> proposal.get());
    }

    public boolean contains(Object reason) {
        return byReason.containsKey(reason);
    }

    public void removeIf(Predicate<Object> unwanted) {
        byReason.keySet().removeIf(unwanted);
    }

    public void forEach(BiConsumer<Object, ScheduledProposal> action) {
        byReason.forEach(action);
    }

    public void clear() {
        byReason.clear();
    }

    /**
     * Submits the proposals whose deadlines have passed.
     *
     * @return time of the next deadline, at most a second from now
     */
    public long submitDue(long now) {
        long next = now + AGAIN_NANOS;
        for (var entry : byReason.entrySet()) {
            ScheduledProposal proposal = entry.getValue();
            if (Deadline.reached(proposal.deadline(), now)) {
                proposal.moveTo(now + AGAIN_NANOS);
                runtime.inBackground(() -> submit(entry.getKey(), proposal));
            }
            next = Deadline.earlier(next, proposal.deadline());
        }
        return next;
    }

    private void submit(Object reason, ScheduledProposal proposal) {
        try {
            replica.propose(proposal.question());
            proposal.done();
        } catch (GroupDeletedException | StoreClosedException e) {
            LOG.log(Level.DEBUG, "group {0} is gone", replica.name());
        } catch (DamagedGroupException e) {
            LOG.log(Level.DEBUG, "group {0} is damaged, so {1} is not in the journal", replica.name(), reason);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "group " + replica.name() + ": " + reason + " is not in the journal yet", e);
        }
        wake.run();
    }
}
