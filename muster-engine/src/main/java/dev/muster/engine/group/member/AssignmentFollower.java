package dev.muster.engine.group.member;

import dev.muster.core.MusterException;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.engine.group.member.Reconciliation.Standing;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import java.lang.System.Logger.Level;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Joins the group, releases partitions that the group revokes, and takes partitions that it assigns. Calls the hooks
 * for both. For the polling thread.
 */
final class AssignmentFollower {
    private static final System.Logger LOG = System.getLogger(AssignmentFollower.class.getName());
    /** The wait after a refused join. */
    static final long REFUSED_WAIT_NANOS = 100_000_000;

    private static final long REFUSED_GRACE_NANOS = 2_000_000_000;
    /** The wait before the next search for a partition that is assigned but was not found. */
    private static final long MISSING_WAIT_NANOS = 100_000_000;

    private final GroupRuntime runtime;
    private final GroupMember member;
    private final GroupHooks hooks;
    private final Commits commits;
    private final HeldPartitions held;

    /** Revoked partitions that the hooks have not finished yet. */
    private final SortedSet<TopicPartition> leaving = new TreeSet<>();
    /** The generation that revoked the partitions in {@code leaving}. */
    private long leavingSince;

    /** True if the last search did not find an assigned partition. */
    private boolean missing;

    private long lastMissing;
    private boolean refused;
    private long firstRefused;
    private long lastRefused;

    AssignmentFollower(
            GroupRuntime runtime, GroupMember member, GroupHooks hooks, Commits commits, HeldPartitions held) {
        this.runtime = runtime;
        this.member = member;
        this.hooks = hooks;
        this.commits = commits;
        this.held = held;
    }

    /**
     * Joins if necessary, and applies changes of the assignment.
     *
     * @return True if this member is in the group
     */
    boolean follow() {
        if (missing && runtime.nanoTime() - lastMissing >= MISSING_WAIT_NANOS) {
            missing = false;
            member.lookAgain();
        }
        boolean in = member.id() != null || join();
        while (in && member.hasNews()) {
            Reconciliation next = member.look();
            work(next);
            in = next.standing() == Standing.IN || join();
        }
        if (!leaving.isEmpty()) {
            letGo(leavingSince, new TreeSet<>(leaving));
        }
        return in;
    }

    /** The given wait, shortened to the time at which {@link #follow} must run again. */
    long waitAtMost(long left) {
        return missing ? Math.min(left, MISSING_WAIT_NANOS) : left;
    }

    private boolean join() {
        held.beforeJoin();
        if (refused && runtime.nanoTime() - lastRefused < REFUSED_WAIT_NANOS) {
            return false;
        }
        return switch (member.join()) {
            case Reply.Joined _ -> {
                refused = false;
                yield true;
            }
            case Reply.FencedInstance refusal -> throw hooks.fenced(refusal.text());
            case Reply.InstanceInUse refusal -> {
                waitForInstance(refusal.text());
                yield false;
            }
            case Reply.GroupDeleted _ -> false;
            case Reply.Refusal refusal -> throw new MusterException(refusal.text());
            case Reply.Done _, Reply.Classic _ -> throw new IllegalStateException("not an answer to a join");
        };
    }

    /**
     * Waits for the member with the same instance id: it may be about to leave, or hang until its session expires.
     * After a session the id is in use twice by mistake, and this method throws.
     */
    private void waitForInstance(String why) {
        long now = runtime.nanoTime();
        if (!refused) {
            refused = true;
            firstRefused = now;
            LOG.log(Level.WARNING, "group {0}: {1}", member.options().group(), why);
        }
        lastRefused = now;
        if (now - firstRefused > Deadline.nanos(member.options().timing().session()) + REFUSED_GRACE_NANOS) {
            throw hooks.fenced(why);
        }
    }

    private void work(Reconciliation next) {
        Failures failures = new Failures();
        long generation =
                next.seen() == null ? member.generation() : next.seen().group().generation();
        if (!next.lost().isEmpty()) {
            next.lost().forEach(this::end);
            member.gone(next.lost());
            failures.during(() -> hooks.lost(generation, next.lost()));
        }
        if (next.standing() != Standing.IN) {
            leaving.clear();
            member.worked(next);
            if (next.standing() == Standing.FENCED) {
                throw hooks.fenced("another process joined group \""
                        + member.options().group()
                        + "\" with instance id \"" + member.options().instance().orElseThrow()
                        + "\" and took the place of this one");
            }
        } else {
            if (!next.release().isEmpty()) {
                failures.during(() -> letGo(generation, next.release()));
            }
            if (!next.take().isEmpty()) {
                failures.during(() -> take(next));
            }
            if (failures.isEmpty()) {
                member.worked(next);
            }
        }
        failures.throwIfAny();
    }

    private void end(TopicPartition partition) {
        held.end(partition);
        leaving.remove(partition);
    }

    private void letGo(long generation, SortedSet<TopicPartition> release) {
        SortedSet<TopicPartition> known = new TreeSet<>(release);
        known.retainAll(commits.partitions());
        // Other partitions were assigned and revoked before this member took them. The hooks do not know these.
        SortedSet<TopicPartition> ready = new TreeSet<>(release);
        ready.removeAll(known);
        Failures failures = new Failures();
        if (!known.isEmpty()) {
            try {
                ready.addAll(hooks.revoked(generation, known));
            } catch (RuntimeException | Error e) {
                // The partitions are released in spite of the failure: a member that keeps them is expelled.
                failures.add(e);
                ready.addAll(known);
            }
        }
        leavingSince = generation;
        leaving.addAll(known);
        leaving.removeAll(ready);
        if (!ready.isEmpty()) {
            SortedMap<TopicPartition, CommittedOffset> processed = commits.dueOf(ready);
            ready.forEach(this::end);
            member.release(ready, processed);
        }
        failures.throwIfAny();
    }

    private void take(Reconciliation next) {
        member.awaitGeneration(next);
        Group group = next.seen().group();
        SortedSet<TopicPartition> begun = new TreeSet<>();
        boolean all = false;
        try {
            for (TopicPartition partition : next.take()) {
                if (held.begin(partition, group)) {
                    begun.add(partition);
                }
            }
            all = true;
        } finally {
            if (!all) {
                // The next poll starts all of them again.
                begun.forEach(this::end);
            }
        }
        if (begun.size() < next.take().size()) {
            // A missing partition was deleted, which the group will notice, or was created and is not visible here yet.
            lookAgainLater();
        }
        if (!member.mayTake(next)) {
            // The start took long, for example because this process was suspended. The partitions may have new owners
            // now.
            begun.forEach(this::end);
            lookAgainLater();
            return;
        }
        member.took(next, begun);
        if (!begun.isEmpty()) {
            hooks.assigned(member.generation(), begun);
        }
    }

    private void lookAgainLater() {
        missing = true;
        lastMissing = runtime.nanoTime();
    }

    /** Calls the hooks to revoke all partitions, before the member leaves. */
    void revokeAll() {
        SortedSet<TopicPartition> all = commits.partitions();
        if (all.isEmpty()) {
            return;
        }
        boolean in = member.look().standing() == Standing.IN;
        if (in) {
            hooks.revoked(member.generation(), all);
        } else {
            commits.endAll();
            hooks.lost(member.generation(), all);
        }
    }
}
