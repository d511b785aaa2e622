package dev.muster.engine.group;

import dev.muster.core.group.Entry;
import dev.muster.core.group.Event;
import dev.muster.core.group.LeaveCause;
import dev.muster.core.json.Json;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

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
                Map<String, Object> set = new LinkedHashMap<>();
                offsets.forEach((partition, offset) -> set.put(partition.toString(), offset.offset()));
                line.put("offsets", set);
            }
            case Event.OffsetsForgotten(var partitions) -> {
                line.put("event", "forgotten");
                line.put("partitions", ViewsForPeople.names(partitions));
            }
            case Event.GroupDeleted _ -> line.put("event", "deleted");
        }
        return Json.write(line);
    }

    private static String words(LeaveCause cause) {
        return cause.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
