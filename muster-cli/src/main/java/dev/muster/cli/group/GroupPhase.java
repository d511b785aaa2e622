package dev.muster.cli.group;

import dev.muster.core.group.Group;
import java.util.Set;

/** What a group is about, in Kafka's words: those for groups whose coordinator assigns, and those for classic ones. */
public enum GroupPhase {
    /** No members; offsets stay. */
    EMPTY("Empty"),
    /** It has its first members and waits for the others; nobody is given anything yet. */
    FORMING("Forming"),
    /** Members came or went, and the next generation is about to be made. */
    ASSIGNING("Assigning"),
    /** Some partitions are on their way to their new owner. */
    RECONCILING("Reconciling"),
    /** Classic: members should come back. */
    PREPARING_REBALANCE("PreparingRebalance"),
    /** Classic: the leader should assign. */
    COMPLETING_REBALANCE("CompletingRebalance"),
    /** The members are there in the journal, but all their processes are dead; the next member takes over. */
    MEMBERS_DIED("MembersDied"),
    /** Every member owns what it should. */
    STABLE("Stable");

    private final String word;

    GroupPhase(String word) {
        this.word = word;
    }

    /** @param dead ids of members whose processes are dead */
    public static GroupPhase of(Group group, Set<String> dead) {
        return !dead.isEmpty() && noneLives(group, dead) ? MEMBERS_DIED : of(group);
    }

    /** A member that is away was written down as gone: it may come back, but it does not live now. */
    private static boolean noneLives(Group group, Set<String> dead) {
        return group.members().entrySet().stream()
                        .allMatch(member -> member.getValue().away().isPresent()
                                || dead.contains(member.getKey().value()))
                && group.classic().members().entrySet().stream()
                        .allMatch(member -> member.getValue().away().isPresent()
                                || dead.contains(member.getKey().value()));
    }

    /** The phase in the journal, whether the processes live or not. */
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
