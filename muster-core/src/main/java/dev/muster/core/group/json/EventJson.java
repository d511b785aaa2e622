package dev.muster.core.group.json;

import dev.muster.core.MemberId;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.core.group.model.TopicShape;
import dev.muster.core.json.JsonWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The JSON of events, such as {@code {"event":"granted","member":"A","partitions":{"orders":"0-3"}}}. */
final class EventJson {
    private EventJson() {}

    static void write(JsonWriter out, Event event) {
        out.object();
        switch (event) {
            case Event.MemberJoined e -> writeSpec(out.field("event", "joined").name("member"), e.member());
            case Event.MemberReturned e ->
                writeSpec(out.field("event", "returned").field("old", e.old()).name("member"), e.now());
            case Event.MemberAway e ->
                out.field("event", "away").field("member", e.member()).field("cause", e.cause());
            case Event.MemberLeft e -> {
                out.field("event", "left").field("member", e.member()).field("cause", e.cause());
                e.lastSign().ifPresent(sign -> out.field("lastSign", sign));
            }
            case Event.FalseAlarm e -> out.field("event", "false-alarm").field("member", e.member());
            case Event.MemberSubscribed e ->
                writeSubscription(out.field("event", "subscribed").field("member", e.member()), e.subscription());
            case Event.TopicsChanged e ->
                writeTopics(out.field("event", "topics").name("topics"), e.topics());
            case Event.Rebalanced e -> {
                out.field("event", "rebalanced").field("generation", e.generation());
                out.field("cause", e.cause()).field("assignor", e.assignor()).field("reason", e.reason());
                writeByMember(out.name("targets"), e.targets());
            }
            case Event.Released e ->
                writePartitions(out.field("event", "released").field("member", e.member()), e.partitions());
            case Event.Granted e ->
                writePartitions(out.field("event", "granted").field("member", e.member()), e.partitions());
            case Event.Committed e ->
                writeOffsets(out.field("event", "committed").field("member", e.member()), e.offsets());
            case Event.OffsetsReset e -> writeOffsets(out.field("event", "reset"), e.offsets());
            case Event.Rewound e ->
                writeOffsets(
                        out.field("event", "rewound")
                                .field("generation", e.generation())
                                .field("cause", e.cause()),
                        e.offsets());
            case Event.MembersExpected e -> {
                out.field("event", "expected");
                e.expectation().ifPresent(expectation -> writeExpectation(out, expectation));
            }
            case Event.FormingBegan e -> writeExpectation(out.field("event", "forming"), e.expectation());
            case Event.Formed e -> out.field("event", "formed").field("what", e.predicate());
            case Event.OffsetsForgotten e -> writePartitions(out.field("event", "forgotten"), e.partitions());
            case Event.GroupDeleted _ -> out.field("event", "deleted");
            case Event.BecameModern e -> {
                out.field("event", "became-modern").field("because", e.cause());
                writeByMember(out.name("hands"), e.inHand());
            }
            case Event.BecameClassic e -> out.field("event", "became-classic").field("because", e.cause());
            case Event.Classic(var e) -> ClassicJson.write(out, e);
        }
        out.end();
    }

    static Event read(Object value) {
        Fields fields = new Fields("event", value);
        String kind = fields.string("event");
        Event event = switch (kind) {
            case "joined" -> new Event.MemberJoined(readSpec(fields.object("member")));
            case "returned" ->
                new Event.MemberReturned(new MemberId(fields.string("old")), readSpec(fields.object("member")));
            case "away" -> new Event.MemberAway(member(fields), cause(fields));
            case "left" -> new Event.MemberLeft(member(fields), cause(fields), lastSign(fields));
            case "false-alarm" -> new Event.FalseAlarm(member(fields));
            case "subscribed" -> new Event.MemberSubscribed(member(fields), readSubscription(fields));
            case "topics" -> new Event.TopicsChanged(readTopics(fields.object("topics")));
            case "rebalanced" ->
                new Event.Rebalanced(
                        fields.number("generation"),
                        readByMember(fields.object("targets")),
                        fields.string("cause"),
                        fields.string("assignor"),
                        fields.string("reason"));
            case "released" -> new Event.Released(member(fields), partitions(fields));
            case "granted" -> new Event.Granted(member(fields), partitions(fields));
            case "committed" -> new Event.Committed(member(fields), offsets(fields));
            case "reset" -> new Event.OffsetsReset(offsets(fields));
            case "rewound" -> new Event.Rewound(fields.number("generation"), offsets(fields), fields.string("cause"));
            case "expected" ->
                new Event.MembersExpected(
                        fields.has("members") ? Optional.of(readExpectation(fields)) : Optional.empty());
            case "forming" -> new Event.FormingBegan(readExpectation(fields));
            case "formed" -> new Event.Formed(fields.string("what"));
            case "forgotten" -> new Event.OffsetsForgotten(partitions(fields));
            case "deleted" -> new Event.GroupDeleted();
            case "became-modern" ->
                new Event.BecameModern(readByMember(fields.object("hands")), fields.string("because"));
            case "became-classic" -> new Event.BecameClassic(fields.string("because"));
            case String classic
            when classic.startsWith(ClassicJson.PREFIX) -> new Event.Classic(ClassicJson.read(classic, fields));
            default -> throw Fields.bad("event \"" + kind + "\" is unknown");
        };
        fields.done();
        return event;
    }

    private static MemberId member(Fields fields) {
        return new MemberId(fields.string("member"));
    }

    private static OptionalLong lastSign(Fields fields) {
        return fields.has("lastSign") ? OptionalLong.of(fields.number("lastSign")) : OptionalLong.empty();
    }

    static LeaveCause cause(Fields fields) {
        String name = fields.string("cause");
        for (LeaveCause cause : LeaveCause.values()) {
            if (cause.name().equals(name)) {
                return cause;
            }
        }
        throw Fields.bad("cause \"" + name + "\" is unknown");
    }

    private static void writePartitions(JsonWriter out, SortedSet<TopicPartition> partitions) {
        PartitionsJson.write(out.name("partitions"), partitions);
    }

    static SortedSet<TopicPartition> partitions(Fields fields) {
        return PartitionsJson.read(fields.object("partitions"));
    }

    static void writeOffsets(JsonWriter out, SortedMap<TopicPartition, CommittedOffset> offsets) {
        PartitionsJson.writeOffsets(out.name("offsets"), offsets);
    }

    static SortedMap<TopicPartition, CommittedOffset> offsets(Fields fields) {
        return PartitionsJson.readOffsets(fields.object("offsets"));
    }

    static void writeExpectation(JsonWriter out, Expectation expectation) {
        out.field("members", expectation.members()).field("within", expectation.within());
    }

    static Expectation readExpectation(Fields fields) {
        return new Expectation(Math.toIntExact(fields.number("members")), Duration.parse(fields.string("within")));
    }

    private static void writeByMember(JsonWriter out, SortedMap<MemberId, SortedSet<TopicPartition>> partitions) {
        out.object();
        partitions.forEach((id, those) -> PartitionsJson.write(out.name(id.value()), those));
        out.end();
    }

    private static SortedMap<MemberId, SortedSet<TopicPartition>> readByMember(Fields fields) {
        SortedMap<MemberId, SortedSet<TopicPartition>> partitions = new TreeMap<>();
        fields.each((id, those) ->
                partitions.put(new MemberId(id), PartitionsJson.read(new Fields("partitions of " + id, those))));
        return partitions;
    }

    static void writeSpec(JsonWriter out, MemberSpec spec) {
        out.object().field("id", spec.id());
        spec.instance().ifPresent(instance -> out.field("instance", instance));
        out.field("client", spec.client()).field("host", spec.host());
        spec.address().ifPresent(address -> out.field("address", address));
        writeSubscription(out, spec.subscription());
        out.field("session", spec.timing().session())
                .field("revoke", spec.timing().revoke());
        out.field("assignor", spec.assignor());
        if (spec.classic()) {
            ClassicJson.writeProtocols(out, spec.protocols());
        }
        out.end();
    }

    static MemberSpec readSpec(Fields fields) {
        MemberSpec spec = new MemberSpec(
                new MemberId(fields.string("id")),
                fields.optional("instance"),
                fields.string("client"),
                new HostId(fields.string("host")),
                fields.optional("address"),
                readSubscription(fields),
                new Timing(Duration.parse(fields.string("session")), Duration.parse(fields.string("revoke"))),
                fields.string("assignor"),
                ClassicJson.readProtocols(fields));
        fields.done();
        return spec;
    }

    private static void writeSubscription(JsonWriter out, Subscription subscription) {
        if (!subscription.topics().isEmpty()) {
            out.field("topics", subscription.topics());
        }
        subscription.pattern().ifPresent(pattern -> out.field("pattern", pattern));
    }

    private static Subscription readSubscription(Fields fields) {
        SortedSet<TopicName> topics = new TreeSet<>();
        List<?> names = fields.list("topics");
        names.forEach(name -> topics.add(new TopicName(name.toString())));
        Optional<String> pattern = fields.optional("pattern");
        return new Subscription(topics, pattern);
    }

    static void writeTopics(JsonWriter out, SortedMap<TopicName, TopicShape> topics) {
        out.object();
        topics.forEach((topic, shape) -> out.name(topic.value())
                .object()
                .field("id", shape.id())
                .field("partitions", shape.partitions())
                .end());
        out.end();
    }

    static SortedMap<TopicName, TopicShape> readTopics(Fields fields) {
        SortedMap<TopicName, TopicShape> topics = new TreeMap<>();
        fields.each((name, value) -> {
            Fields shape = new Fields("topic " + name, value);
            topics.put(
                    new TopicName(name),
                    new TopicShape(TopicId.parse(shape.string("id")), Math.toIntExact(shape.number("partitions"))));
            shape.done();
        });
        return topics;
    }
}
