package dev.muster.cli.group;

import dev.muster.core.group.Group;
import java.util.Set;

/** The state of a group, in Kafka's words for groups with a coordinator that assigns, and for classic groups. */
public enum GroupPhase {
    /** No members; the offsets stay. */
    EMPTY("Empty"),
    /** The first members are there, and the group waits for the others before it assigns partitions. */
    FORMING("Forming"),
    /** Members joined or left, and the next generation is about to be made. */
    ASSIGNING("Assigning"),
    /** Some partitions are being moved to their new owner. */
    RECONCILING("Reconciling"),
    /** Classic: members should rejoin. */
    PREPARING_REBALANCE("PreparingRebalance"),
    /** Classic: the leader should assign. */
    COMPLETING_REBALANCE("CompletingRebalance"),
    /** The journal has members, but all their processes are dead. The next member that joins takes over. */
    MEMBERS_DIED("MembersDied"),
    /** Every member owns its target partitions. */
    STABLE("Stable");

    private final String word;

    GroupPhase(String word) {
        this.word = word;
    }

    /** @param dead ids of members whose processes are dead */
    public static GroupPhase of(Group group, Set<String> dead) {
        return !dead.isEmpty() && noneLives(group, dead) ? MEMBERS_DIED : of(group);
    }

    /**
     * True if no member is alive. A member that is away is recorded as such: it may come back, but is not alive now.
     */
    private static boolean noneLives(Group group, Set<String> dead) {
        return group.members().entrySet().stream()
                        .allMatch(member -> member.getValue().away().isPresent()
                                || dead.contains(member.getKey().value()))
                && group.classic().members().entrySet().stream()
                        .allMatch(member -> member.getValue().away().isPresent()
                                || dead.contains(member.getKey().value()));
    }

    /** The phase by the journal alone, whether the processes live or not. */
    public static GroupPhase of(Group group) {
        if (group.members().isEmpty()) {
            return switch (group.classic().state()) {
                case PREPARING_REBALANCE -> PREPARING_REBALANCE;
                case COMPLETING_REBALANCE -> COMPLETING_REBALANCE;
                case STABLE -> STABLE;
                case EMPTY, DEAD -> EMPTY;
            };
        }
        if (group.forming().isPresent()) {
            return FORMING;
        }
        if (group.settling()) {
            return ASSIGNING;
        }
        return group.reconciled() ? STABLE : RECONCILING;
    }

    @Override
    public String toString() {
        return word;
    }
}
