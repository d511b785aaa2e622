package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.Reply;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Collectors;

/** Short texts of events and answers, for scripts. */
final class ClassicScriptText {
    private ClassicScriptText() {}

    static String of(ClassicEvent event) {
        return switch (event) {
            case ClassicEvent.IdGiven e -> "id " + e.member();
            case ClassicEvent.IdDropped e -> "id dropped " + e.member();
            case ClassicEvent.Joined e -> e.member().id() + " " + e.predicate();
            case ClassicEvent.Rejoined e ->
                e.member() + " rejoined" + (e.changed().isPresent() ? " changed" : "")
                        + e.why().map(why -> ": " + why).orElse("");
            case ClassicEvent.Replaced e ->
                e.now().id() + " replaced " + e.old() + (e.waiting() ? " and waits" : "")
                        + e.why().map(why -> ": " + why).orElse("");
            case ClassicEvent.RebalanceBegan e ->
                "rebalance within " + e.after()
                        + e.atMost().map(most -> " settling at most " + most).orElse("");
            case ClassicEvent.RebalanceExtended e -> "rebalance extended by " + e.after();
            case ClassicEvent.GenerationFormed e ->
                "generation " + e.generation() + " "
                        + e.protocol().orElse("-") + " led by "
                        + e.leader().map(MemberId::value).orElse("-") + ": " + e.cause();
            case ClassicEvent.Assigned e -> "assigned " + e.assignment().keySet();
            case ClassicEvent.Synced e -> e.member() + " synced";
            case ClassicEvent.Left e -> e.member() + " left " + e.cause();
            case ClassicEvent.Away e -> e.member() + " away";
            case ClassicEvent.Adopted e -> e.member() + " adopted by " + e.host();
            case ClassicEvent.Committed e -> e.member().map(MemberId::value).orElse("nobody") + " committed";
        };
    }

    static String of(Event event) {
        return switch (event) {
            case Event.MemberJoined e -> e.member().id() + " is a member";
            case Event.MemberReturned e ->
                e.old() + " is back" + as(e.old(), e.now().id()) + " on "
                        + e.now().host();
            case Event.MemberAway e -> e.member() + " away";
            case Event.MemberLeft e -> e.member() + " left " + e.cause();
            case Event.MemberSubscribed e -> e.member() + " subscribed";
            case Event.TopicsChanged _ -> "topics";
            case Event.Rebalanced e -> "targets of " + e.generation() + " " + numbers(e.targets()) + ": " + e.cause();
            case Event.Released e -> e.member() + " let go of " + numbers(e.partitions());
            case Event.Granted e -> e.member() + " got " + numbers(e.partitions());
            case Event.Committed e ->
                e.member() + " committed " + numbers(e.offsets().keySet());
            case Event.Rewound e -> "rewound in " + e.generation() + ": " + e.cause();
            case Event.BecameModern e -> "became modern with " + numbers(e.inHand()) + " because " + e.cause();
            case Event.BecameClassic e -> "became classic because " + e.cause();
            case Event.Classic(var classic) -> of(classic);
            case Event.OffsetsReset _,
                    Event.MembersExpected _,
                    Event.FormingBegan _,
                    Event.FalseAlarm _,
                    Event.Formed _,
                    Event.OffsetsForgotten _,
                    Event.GroupDeleted _ -> event.toString();
        };
    }

    private static String as(MemberId old, MemberId now) {
        return old.equals(now) ? "" : " as " + now;
    }

    private static String numbers(Map<MemberId, SortedSet<TopicPartition>> partitions) {
        return partitions.entrySet().stream()
                .map(one -> one.getKey() + "=" + numbers(one.getValue()))
                .collect(Collectors.joining(" "));
    }

    private static String numbers(Collection<TopicPartition> partitions) {
        return partitions.isEmpty()
                ? "-"
                : partitions.stream()
                        .map(partition -> Integer.toString(partition.partition()))
                        .collect(Collectors.joining());
    }

    static String of(Reply reply) {
        return switch (reply) {
            case Reply.Classic(var classic) -> of(classic);
            case Reply.Done _ -> "done";
            case Reply.Joined(var member, var returned) -> member + (returned ? " is back" : " is in");
            case Reply.Refusal refusal -> kebab(refusal.getClass().getSimpleName());
        };
    }

    static String of(ClassicReply reply) {
        return switch (reply) {
            case ClassicReply.Done _ -> "done";
            case ClassicReply.JoinParked _, ClassicReply.SyncParked _ -> "waits";
            case ClassicReply.Joined r ->
                "joined " + r.member() + " at " + r.generation() + " " + r.protocol() + " leader " + r.leader() + " "
                        + r.members().stream()
                                .map(fellow -> fellow.member() + ":" + ClassicGroupFixture.text(fellow.metadata()))
                                .toList()
                        + (r.skipAssignment() ? " skip" : "");
            case ClassicReply.Assigned r ->
                "assigned " + r.protocol() + " \"" + ClassicGroupFixture.text(r.assignment()) + "\"";
            case ClassicReply.JoinedModern r -> "admitted " + r.member() + " at " + r.generation() + " " + r.protocol();
            case ClassicReply.AssignedModern r -> "given " + r.protocol() + " " + numbers(r.partitions());
            case ClassicReply.Left r -> list(r.answers());
            case ClassicReply.MemberIdRequired r -> "member id required: " + r.member();
            case ClassicReply.Refusal r -> kebab(r.getClass().getSimpleName());
        };
    }

    private static String list(List<ClassicReply.Acknowledgement> answers) {
        return answers.stream().map(ClassicScriptText::of).collect(Collectors.joining(", "));
    }

    private static String kebab(String name) {
        return name.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    }
}
