package dev.muster.core.group.classic;

import dev.muster.core.group.MemberId;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Events and answers in few words, for scripts. */
final class ClassicWords {
    private ClassicWords() {}

    static String of(ClassicEvent event) {
        return switch (event) {
            case ClassicEvent.IdGiven e -> "id " + e.member();
            case ClassicEvent.IdDropped e -> "id dropped " + e.member();
            case ClassicEvent.Joined e -> e.member().id() + " " + e.what();
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

    static String of(ClassicReply reply) {
        return switch (reply) {
            case ClassicReply.Done _ -> "done";
            case ClassicReply.JoinParked _, ClassicReply.SyncParked _ -> "waits";
            case ClassicReply.Joined r ->
                "joined " + r.member() + " at " + r.generation() + " " + r.protocol() + " leader " + r.leader() + " "
                        + r.members().stream()
                                .map(fellow -> fellow.member() + ":" + ClassicClub.text(fellow.metadata()))
                                .toList()
                        + (r.skipAssignment() ? " skip" : "");
            case ClassicReply.Assigned r ->
                "assigned " + r.protocol() + " \"" + ClassicClub.text(r.assignment()) + "\"";
            case ClassicReply.Left r -> list(r.answers());
            case ClassicReply.MemberIdRequired r -> "member id required: " + r.member();
            case ClassicReply.Refusal r -> kebab(r.getClass().getSimpleName());
        };
    }

    private static String list(List<ClassicReply.Acknowledgement> answers) {
        return answers.stream().map(ClassicWords::of).collect(Collectors.joining(", "));
    }

    private static String kebab(String name) {
        return name.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    }
}
