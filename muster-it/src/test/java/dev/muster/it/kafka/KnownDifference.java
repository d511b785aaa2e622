package dev.muster.it.kafka;

import java.util.Locale;
import java.util.function.BiPredicate;

/**
 * The intended differences of Muster's answers from Kafka's. docs/kafka-differences.md has the same list with reasons.
 */
enum KnownDifference {
    /**
     * A client joins with an id of a dynamic member and an instance id. Kafka fails with an internal error; Muster
     * answers that the member is unknown, which a client can handle.
     */
    A_GIVEN_ID_WITH_AN_INSTANCE_ID((ours, theirs) -> ours.startsWith("JoinGroupResponseData(errorCode=25,")
            && theirs.startsWith("JoinGroupResponseData(errorCode=-1,")),

    /**
     * The member of a parked join is removed or fenced. Both brokers answer that, with different ids: Kafka with none
     * or with the member's, Muster with that of the request. The id is not valid any more.
     */
    THE_ID_OF_ONE_THAT_IS_OUT((ours, theirs) -> ours.matches("JoinGroupResponseData\\(errorCode=(25|82),.*")
            && withoutId(ours).equals(withoutId(theirs))),

    /**
     * A member leaves while its sync waits. Kafka never answers the sync; Muster answers that the member is unknown.
     * Scripts do not do this, because Kafka would not read from that client any more.
     */
    A_MEMBER_LEAVES_WHILE_ITS_SYNC_WAITS((ours, theirs) -> false),

    /**
     * A static member was replaced by one with another client id or address. Kafka continues to describe the old
     * client; Muster describes the new one. The comparison ignores the client ids of static members.
     */
    CLIENT_OF_A_REPLACED_MEMBER((ours, theirs) -> false),

    /**
     * Offsets are deleted while members join. Kafka uses the subscriptions of the last generation. Muster also uses
     * those of waiting joins, whose members are about to read. Scripts do not do this.
     */
    OFFSETS_DELETED_WHILE_MEMBERS_JOIN((ours, theirs) -> false),

    /**
     * A static member was replaced by one that subscribes to other topics, without a rebalance, and offsets are
     * deleted. Kafka uses the old subscription, Muster the new one. Scripts do not do this.
     */
    OFFSETS_DELETED_AFTER_A_STATIC_MEMBER_WAS_REPLACED((ours, theirs) -> false),

    /**
     * A member subscribes to different topics under different protocols, and offsets are deleted. Kafka uses the
     * subscription of the chosen protocol, Muster those of all. Neither clients nor scripts do this.
     */
    OFFSETS_DELETED_OF_TOPICS_UNDER_ANOTHER_PROTOCOL((ours, theirs) -> false),

    /**
     * The same member joins or syncs on a second connection while the first still waits. Kafka never answers the first;
     * Muster answers that the member must join again. Scripts do not do this.
     */
    A_MEMBER_WAITS_TWICE((ours, theirs) -> false),

    /** Classic clients in a modern group. Scripts do not do this. */
    CLASSIC_MEMBERS_OF_A_MODERN_GROUP((ours, theirs) -> false),

    /**
     * A client got an id and leaves without having joined. Kafka rebalances the group, Muster does not. Scripts do not
     * do this.
     */
    AN_UNUSED_ID_LEAVES((ours, theirs) -> false),

    /**
     * An offset beyond the end of the log is committed. Kafka keeps it, and a later consumer skips the records up to
     * that offset; Muster lowers it to the end. Scripts commit offsets of existing records.
     */
    A_COMMIT_BEYOND_THE_END((ours, theirs) -> false);

    private final BiPredicate<String, String> explains;

    KnownDifference(BiPredicate<String, String> explains) {
        this.explains = explains;
    }

    /** The title in the document. */
    String title() {
        String words = name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }

    private static String withoutId(String answer) {
        return answer.replaceFirst("memberId='[^']*'", "memberId=''");
    }

    static boolean explains(String ours, String theirs) {
        for (KnownDifference difference : values()) {
            if (difference.explains.test(ours, theirs)) {
                return true;
            }
        }
        return false;
    }
}
