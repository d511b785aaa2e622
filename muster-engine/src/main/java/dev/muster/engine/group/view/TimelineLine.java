package dev.muster.engine.group.view;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.json.Json;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** An event of a group as a line for people. The journal has the same event for programs. */
final class TimelineLine {
    private final Map<String, Object> line = new LinkedHashMap<>();

    private TimelineLine(long version, Entry entry) {
        with("at", GroupViewTexts.time(entry.at()))
                .with("version", version)
                .with("by", entry.by().value());
    }

    static String of(long version, Entry entry, Event event) {
        TimelineLine text = new TimelineLine(version, entry);
        text.add(event);
        return Json.write(text.line);
    }

    private void add(Event event) {
        switch (event) {
            case Event.MemberJoined(var member) -> event("joined", member.id());
            case Event.MemberReturned(var old, var now) ->
                event("returned", now.id()).with("was", old.value());
            case Event.MemberAway(var member, var cause) ->
                event("away", member).cause(cause);
            case Event.MemberLeft(var member, var cause, var lastSign) -> {
                event("left", member).cause(cause);
                lastSign.ifPresent(sign -> with("last_sign_of_life", GroupViewTexts.time(sign)));
            }
            case Event.FalseAlarm(var member) ->
                event("false alarm", member).with("what", "it was expelled for want of a connection, and lives");
            case Event.MemberSubscribed(var member, var topics) ->
                event("subscribed", member).subscription(topics);
            case Event.TopicsChanged changed -> event("topics").topics(changed);
            case Event.Rebalanced rebalanced ->
                generation("generation", rebalanced.generation(), rebalanced.cause())
                        .with("assignor", rebalanced.assignor())
                        .with("reason", rebalanced.reason());
            case Event.Released(var member, var those) ->
                event("released", member).partitions(those);
            case Event.Granted(var member, var those) ->
                event("granted", member).partitions(those);
            case Event.Committed(var member, var offsets) ->
                event("committed", member).partitions(offsets.keySet());
            case Event.OffsetsReset(var offsets) -> event("reset").offsets(offsets);
            case Event.Rewound rewound ->
                generation("reset", rewound.generation(), rewound.cause()).offsets(rewound.offsets());
            case Event.MembersExpected(var expectation) -> event("expected").expectation(expectation);
            case Event.FormingBegan(var expectation) -> event("forming").expectation(Optional.of(expectation));
            case Event.Formed(var what) -> event("formed").with("what", "the group " + what);
            case Event.OffsetsForgotten(var those) -> event("forgotten").partitions(those);
            case Event.GroupDeleted _ -> event("deleted");
            case Event.BecameModern(var hands, var because) ->
                event("the group became modern").with("because", because).with("kept", byMember(hands));
            case Event.BecameClassic(var because) ->
                event("the group became classic").with("because", because);
            case Event.Classic(var classic) -> add(classic);
        }
    }

    private void add(ClassicEvent event) {
        switch (event) {
            case ClassicEvent.IdGiven given -> event("id given", given.member());
            case ClassicEvent.IdDropped(var member) -> event("id dropped", member);
            case ClassicEvent.Joined(var member, var what) ->
                event("joined", member.id()).with("what", what);
            case ClassicEvent.Rejoined rejoined ->
                event("rejoined", rejoined.member()).with("why", rejoined.why());
            case ClassicEvent.Replaced replaced ->
                event("returned", replaced.now().id())
                        .with("was", replaced.old().value())
                        .with("why", replaced.why());
            case ClassicEvent.RebalanceBegan _ -> event("rebalance");
            case ClassicEvent.RebalanceExtended _ -> event("rebalance extended");
            case ClassicEvent.GenerationFormed formed ->
                generation("generation", formed.generation(), formed.cause())
                        .with("protocol", formed.protocol())
                        .with("leader", formed.leader().map(MemberId::value));
            case ClassicEvent.Assigned assigned ->
                event("assigned")
                        .with("generation", assigned.generation())
                        .with("partitions", byMember(assigned.partitions()));
            case ClassicEvent.Synced(var member) -> event("synced", member);
            case ClassicEvent.Left(var member, var cause, var reason) ->
                event("left", member)
                        .cause(cause)
                        .with("reason", Optional.of(reason).filter(words -> !words.isEmpty()));
            case ClassicEvent.Away(var member, var cause) ->
                event("away", member).cause(cause);
            case ClassicEvent.Adopted(var member, var host) ->
                event("adopted", member).with("host", host.value());
            case ClassicEvent.Committed committed ->
                event("committed").partitions(committed.offsets().keySet());
        }
    }

    // Pieces

    private TimelineLine with(String name, Object value) {
        line.put(name, value);
        return this;
    }

    private TimelineLine with(String name, Optional<String> value) {
        value.ifPresent(words -> line.put(name, words));
        return this;
    }

    private TimelineLine event(String what) {
        return with("event", what);
    }

    private TimelineLine event(String what, MemberId member) {
        return event(what).with("member", member.value());
    }

    private TimelineLine generation(String what, long number, String cause) {
        return event(what).with("generation", number).with("cause", cause);
    }

    private TimelineLine cause(LeaveCause cause) {
        return with("cause", cause.name().toLowerCase(Locale.ROOT).replace('_', ' '));
    }

    private TimelineLine partitions(Collection<TopicPartition> partitions) {
        return with("partitions", GroupViewTexts.names(partitions));
    }

    private void subscription(Subscription subscription) {
        with(
                        "topics",
                        subscription.topics().stream()
                                .map(topic -> (Object) topic.value())
                                .toList())
                .with("pattern", subscription.pattern());
    }

    private void topics(Event.TopicsChanged event) {
        Map<String, Object> partitions = new LinkedHashMap<>();
        event.topics().forEach((name, shape) -> partitions.put(name.value(), (long) shape.partitions()));
        with("partitions", partitions);
    }

    private void expectation(Optional<Expectation> expectation) {
        with("members", expectation.map(it -> (long) it.members()).orElse(0L))
                .with("within", expectation.map(it -> it.within().toString()));
    }

    private void offsets(SortedMap<TopicPartition, CommittedOffset> offsets) {
        Map<String, Object> set = new LinkedHashMap<>();
        offsets.forEach((partition, offset) -> set.put(partition.toString(), offset.offset()));
        with("offsets", set);
    }

    private static Map<String, Object> byMember(SortedMap<MemberId, SortedSet<TopicPartition>> partitions) {
        Map<String, Object> by = new LinkedHashMap<>();
        partitions.forEach((member, those) -> by.put(member.value(), GroupViewTexts.names(those)));
        return by;
    }
}
