package dev.muster.core.group;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * The rules of one consumer group, and its state, immutable. {@link #decide} says what follows from a command;
 * {@link #apply} is the only way the state changes. Who decided on a state that is not the newest any more decides
 * again.
 *
 * <p>A member is told what to let go of and what to take by its {@link Member}: it must let go of what it owns and
 * should not, within its revoke time; it owns a partition as soon as the state says so, which is only after the former
 * owner let go or is out. Partitions that do not move are never taken away, not for a moment.
 */
public final class Group {
    /** How many generations are remembered. */
    public static final int HISTORY_MAX = 100;

    /** Nobody, nothing, generation 0. */
    public static Group empty() {
        throw new UnsupportedOperationException("to be written");
    }

    /** @param assignors those that this process has, by name */
    public Decision decide(Command command, Map<String, Assignor> assignors) {
        throw new UnsupportedOperationException("to be written");
    }

    public Group apply(Entry entry) {
        throw new UnsupportedOperationException("to be written");
    }

    /** The timers that this state asks for. */
    public List<Wish> wishes() {
        throw new UnsupportedOperationException("to be written");
    }

    /** The epoch of the group: grows with every change of membership, subscription or partitions. */
    public long generation() {
        throw new UnsupportedOperationException("to be written");
    }

    public boolean deleted() {
        throw new UnsupportedOperationException("to be written");
    }

    public SortedMap<MemberId, Member> members() {
        throw new UnsupportedOperationException("to be written");
    }

    public SortedMap<TopicName, TopicShape> topics() {
        throw new UnsupportedOperationException("to be written");
    }

    /** By partition: who owns it. A partition that nobody owns is not here. */
    public SortedMap<TopicPartition, Ownership> owners() {
        throw new UnsupportedOperationException("to be written");
    }

    public SortedMap<TopicPartition, Commit> offsets() {
        throw new UnsupportedOperationException("to be written");
    }

    /** The last generations, oldest first. */
    public List<Generation> history() {
        throw new UnsupportedOperationException("to be written");
    }

    /** The assignor that the next generation is made with: the one most members ask for. */
    public String assignor() {
        throw new UnsupportedOperationException("to be written");
    }

    /** Whether joins, or a change, wait to be taken into a generation. */
    public boolean settling() {
        throw new UnsupportedOperationException("to be written");
    }
}
