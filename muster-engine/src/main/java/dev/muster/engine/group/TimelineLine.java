package dev.muster.engine.group;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.CommittedOffset;
import dev.muster.core.group.Entry;
import dev.muster.core.group.Event;
import dev.muster.core.group.Expectation;
import dev.muster.core.group.LeaveCause;
import dev.muster.core.group.MemberId;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.json.Json;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** What happened, as a line for people. The journal tells the same to programs. */
final class TimelineLine {
    private TimelineLine() {}

    static String of(long version, Entry entry, Event event) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("at", ViewsForPeople.time(entry.at()));
        line.put("version", version);
        line.put("by", entry.by().value());
        switch (event) {
            case Event.MemberJoined(var member) -> {
                line.put("event", "joined");
                line.put("member", member.id().value());
            }
            case Event.MemberReturned(var old, var now) -> {
                line.put("event", "returned");
                line.put("member", now.id().value());
                line.put("was", old.value());
            }
            case Event.MemberAway(var member, var cause) -> {
                line.put("event", "away");
                line.put("member", member.value());
                line.put("cause", words(cause));
            }
            case Event.MemberLeft(var member, var cause) -> {
                line.put("event", "left");
                line.put("member", member.value());
                line.put("cause", words(cause));
            }
            case Event.MemberSubscribed(var member, var subscription) -> {
                line.put("event", "subscribed");
                line.put("member", member.value());
                line.put(
                        "topics",
                        subscription.topics().stream()
                                .map(topic -> (Object) topic.value())
                                .toList());
                subscription.pattern().ifPresent(pattern -> line.put("pattern", pattern));
            }
            case Event.TopicsChanged(var topics) -> {
                line.put("event", "topics");
                Map<String, Object> partitions = new LinkedHashMap<>();
                topics.forEach((name, shape) -> partitions.put(name.value(), (long) shape.partitions()));
                line.put("partitions", partitions);
            }
            case Event.Rebalanced rebalanced -> {
                line.put("event", "generation");
                line.put("generation", rebalanced.generation());
                line.put("cause", rebalanced.cause());
                line.put("assignor", rebalanced.assignor());
                line.put("reason", rebalanced.reason());
            }
            case Event.Released(var member, var partitions) -> {
                line.put("event", "released");
                line.put("member", member.value());
                line.put("partitions", ViewsForPeople.names(partitions));
            }
            case Event.Granted(var member, var partitions) -> {
                line.put("event", "granted");
                line.put("member", member.value());
                line.put("partitions", ViewsForPeople.names(partitions));
            }
            case Event.Committed(var member, var offsets) -> {
                line.put("event", "committed");
                line.put("member", member.value());
                line.put("partitions", ViewsForPeople.names(offsets.keySet()));
            }
            case Event.OffsetsReset(var offsets) -> {
                line.put("event", "reset");
                line.put("offsets", offsets(offsets));
            }
            case Event.Rewound rewound -> rewound(line, rewound);
            case Event.MembersExpected(var expectation) -> expected(line, "expected", expectation);
            case Event.FormingBegan(var expectation) -> expected(line, "forming", Optional.of(expectation));
            case Event.Formed(var what) -> {
                line.put("event", "formed");
                line.put("what", "the group " + what);
            }
            case Event.OffsetsForgotten(var partitions) -> {
                line.put("event", "forgotten");
                line.put("partitions", ViewsForPeople.names(partitions));
            }
            case Event.GroupDeleted _ -> line.put("event", "deleted");
            case Event.BecameModern(var hands, var because) -> {
                line.put("event", "the group became modern");
                line.put("because", because);
                Map<String, Object> kept = new LinkedHashMap<>();
                hands.forEach((member, those) -> kept.put(member.value(), ViewsForPeople.names(those)));
                line.put("kept", kept);
            }
            case Event.BecameClassic(var because) -> {
                line.put("event", "the group became classic");
                line.put("because", because);
            }
            case Event.Classic(var classic) -> classic(line, classic);
        }
        return Json.write(line);
    }

    private static void rewound(Map<String, Object> line, Event.Rewound event) {
        line.put("event", "reset");
        line.put("generation", event.generation());
        line.put("cause", event.cause());
        line.put("offsets", offsets(event.offsets()));
    }

    private static void expected(Map<String, Object> line, String event, Optional<Expectation> expectation) {
        line.put("event", event);
        line.put("members", expectation.map(it -> (long) it.members()).orElse(0L));
        expectation.ifPresent(it -> line.put("within", it.within().toString()));
    }

    private static Map<String, Object> offsets(SortedMap<TopicPartition, CommittedOffset> offsets) {
        Map<String, Object> set = new LinkedHashMap<>();
        offsets.forEach((partition, offset) -> set.put(partition.toString(), offset.offset()));
        return set;
    }

    private static void classic(Map<String, Object> line, ClassicEvent event) {
        switch (event) {
            case ClassicEvent.IdGiven given -> told(line, "id given", given.member());
            case ClassicEvent.IdDropped(var member) -> told(line, "id dropped", member);
            case ClassicEvent.Joined(var member, var what) -> {
                told(line, "joined", member.id());
                line.put("what", what);
            }
            case ClassicEvent.Rejoined rejoined -> {
                told(line, "rejoined", rejoined.member());
                rejoined.why().ifPresent(words -> line.put("why", words));
            }
            case ClassicEvent.Replaced replaced -> {
                told(line, "returned", replaced.now().id());
                line.put("was", replaced.old().value());
                replaced.why().ifPresent(words -> line.put("why", words));
            }
            case ClassicEvent.RebalanceBegan _ -> line.put("event", "rebalance");
            case ClassicEvent.RebalanceExtended _ -> line.put("event", "rebalance extended");
            case ClassicEvent.GenerationFormed formed -> {
                line.put("event", "generation");
                line.put("generation", formed.generation());
                line.put("cause", formed.cause());
                formed.protocol().ifPresent(protocol -> line.put("protocol", protocol));
                formed.leader().ifPresent(leader -> line.put("leader", leader.value()));
            }
            case ClassicEvent.Assigned assigned -> {
                line.put("event", "assigned");
                line.put("generation", assigned.generation());
                Map<String, Object> given = new LinkedHashMap<>();
                assigned.partitions()
                        .forEach((member, those) -> given.put(member.value(), ViewsForPeople.names(those)));
                line.put("partitions", given);
            }
            case ClassicEvent.Synced(var member) -> told(line, "synced", member);
            case ClassicEvent.Left(var member, var cause, var reason) -> {
                told(line, "left", member);
                line.put("cause", words(cause));
                if (!reason.isEmpty()) {
                    line.put("reason", reason);
                }
            }
            case ClassicEvent.Away(var member) -> told(line, "away", member);
            case ClassicEvent.Adopted(var member, var host) -> {
                told(line, "adopted", member);
                line.put("host", host.value());
            }
            case ClassicEvent.Committed committed -> {
                line.put("event", "committed");
                line.put("partitions", ViewsForPeople.names(committed.offsets().keySet()));
            }
        }
    }

    private static void told(Map<String, Object> line, String what, MemberId member) {
        line.put("event", what);
        line.put("member", member.value());
    }

    private static String words(LeaveCause cause) {
        return cause.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
