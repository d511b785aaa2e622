package dev.muster.it.kafka;

import java.util.Locale;
import java.util.function.BiPredicate;

/**
 * Where Muster answers otherwise than Kafka on purpose. The same list, with the reasons, is docs/kafka-differences.md.
 */
enum KnownDifference {
    /**
     * An id that was given to a dynamic member comes back with an instance id. Kafka fails with an internal error; here
     * nobody is known by both, which a client can act on.
     */
    A_GIVEN_ID_WITH_AN_INSTANCE_ID((ours, theirs) -> ours.startsWith("JoinGroupResponseData(errorCode=25,")
            && theirs.startsWith("JoinGroupResponseData(errorCode=-1,")),

    /**
     * A join waits and its member is removed or fenced. Both say so, but they name different ids: Kafka none in the one
     * case and that of the member in the other, here it is the one that was asked with. It is of no use any more.
     */
    THE_ID_OF_ONE_THAT_IS_OUT((ours, theirs) -> ours.matches("JoinGroupResponseData\\(errorCode=(25|82),.*")
            && withoutId(ours).equals(withoutId(theirs))),

    /**
     * A member leaves while its sync waits. Kafka never answers the sync; here it is told that it is no member. Scripts
     * do not do this, since Kafka would not listen to that client any more.
     */
    A_MEMBER_LEAVES_WHILE_ITS_SYNC_WAITS((ours, theirs) -> false),

    /**
     * A static member was replaced by one with another client id or address. Kafka goes on to describe the old one's;
     * here it is the one that is there. The comparison does not look at the client ids of static members.
     */
    CLIENT_OF_A_REPLACED_MEMBER((ours, theirs) -> false),

    /**
     * Offsets are deleted while members join. Kafka asks what the last generation subscribed to; here those who wait to
     * join count too, since they are about to read. Scripts do not do this.
     */
    OFFSETS_DELETED_WHILE_MEMBERS_JOIN((ours, theirs) -> false),

    /**
     * A static member was replaced by one that subscribes to other topics, without a rebalance, and offsets are
     * deleted. Kafka asks what the one before subscribed to; here it is the one that is there. Scripts do not do this.
     */
    OFFSETS_DELETED_AFTER_A_STATIC_MEMBER_WAS_REPLACED((ours, theirs) -> false),

    /**
     * A member subscribes to different topics under different protocols, and offsets are deleted. Kafka asks what it
     * says under the chosen one; here topics under any count. Clients do not do this, nor do scripts.
     */
    OFFSETS_DELETED_OF_TOPICS_UNDER_ANOTHER_PROTOCOL((ours, theirs) -> false),

    /**
     * The same member joins or syncs on a second connection while the first still waits. Kafka forgets the first, which
     * is never answered; here it is told to join again. Scripts do not do this.
     */
    A_MEMBER_WAITS_TWICE((ours, theirs) -> false),

    /** Classic clients beside others, where the group assigns. Scripts do not do this. */
    CLASSIC_MEMBERS_OF_A_MODERN_GROUP((ours, theirs) -> false),

    /**
     * Somebody was given an id and leaves without having joined. Kafka rebalances a group that nobody left; here it is
     * left in peace. Scripts do not do this.
     */
    AN_UNUSED_ID_LEAVES((ours, theirs) -> false),

    /**
     * An offset beyond the end of the log is committed. Kafka keeps it, and a group that comes back later skips the
     * records up to there; Muster lowers it to the end. Scripts commit offsets of records that are there.
     */
    A_COMMIT_BEYOND_THE_END((ours, theirs) -> false);

    private final BiPredicate<String, String> explains;

    KnownDifference(BiPredicate<String, String> explains) {
        this.explains = explains;
    }

    /** As the document has it. */
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
