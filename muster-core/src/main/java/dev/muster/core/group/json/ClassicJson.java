package dev.muster.core.group.json;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicMember;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.classic.ClassicState;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.classic.PendingMemberId;
import dev.muster.core.group.classic.RebalanceTimeouts;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.PartitionSets;
import dev.muster.core.group.model.Protocol;
import dev.muster.core.json.JsonWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The JSON of the classic rules. Their events begin with {@code classic-}; bytes of clients are Base64. */
final class ClassicJson {
    static final String PREFIX = "classic-";

    private ClassicJson() {}

    // Events

    static void write(JsonWriter out, ClassicEvent event) {
        switch (event) {
            case ClassicEvent.IdGiven e ->
                begin(out, "id").field("member", e.member()).field("session", e.session());
            case ClassicEvent.IdDropped e -> begin(out, "id-dropped").field("member", e.member());
            case ClassicEvent.Joined e -> {
                writeSpec(begin(out, "joined").name("member"), e.member());
                out.field("what", e.predicate());
            }
            case ClassicEvent.Rejoined e -> {
                begin(out, "rejoined").field("member", e.member());
                e.changed().ifPresent(spec -> writeSpec(out.name("spec"), spec));
                e.why().ifPresent(why -> out.field("why", why));
            }
            case ClassicEvent.Replaced e -> {
                writeSpec(begin(out, "replaced").field("old", e.old()).name("member"), e.now());
                writeFlag(out, "waiting", e.waiting());
                e.why().ifPresent(why -> out.field("why", why));
            }
            case ClassicEvent.RebalanceBegan e -> {
                begin(out, "rebalance").field("after", e.after());
                e.atMost().ifPresent(most -> out.field("atMost", most));
            }
            case ClassicEvent.RebalanceExtended e -> begin(out, "extended").field("after", e.after());
            case ClassicEvent.GenerationFormed e -> {
                begin(out, "generation").field("generation", e.generation());
                e.protocol().ifPresent(protocol -> out.field("protocol", protocol));
                e.leader().ifPresent(leader -> out.field("leader", leader));
                out.field("cause", e.cause()).field("after", e.after());
            }
            case ClassicEvent.Assigned e -> writeAssigned(out, e);
            case ClassicEvent.Synced e -> begin(out, "synced").field("member", e.member());
            case ClassicEvent.Left e ->
                begin(out, "left")
                        .field("member", e.member())
                        .field("cause", e.cause())
                        .field("reason", e.reason());
            case ClassicEvent.Away e ->
                begin(out, "away").field("member", e.member()).field("cause", e.cause());
            case ClassicEvent.Adopted e ->
                begin(out, "adopted").field("member", e.member()).field("host", e.host());
            case ClassicEvent.Committed e -> {
                begin(out, "committed");
                e.member().ifPresent(member -> out.field("member", member));
                EventJson.writeOffsets(out, e.offsets());
            }
        }
    }

    private static JsonWriter begin(JsonWriter out, String kind) {
        return out.field("event", PREFIX + kind);
    }

    private static void writeFlag(JsonWriter out, String name, boolean value) {
        if (value) {
            out.field(name, true);
        }
    }

    private static void writeAssigned(JsonWriter out, ClassicEvent.Assigned event) {
        begin(out, "assigned")
                .field("generation", event.generation())
                .name("assignment")
                .object();
        event.assignment().forEach((id, bytes) -> out.field(id.value(), bytes.toBase64()));
        out.end().name("partitions").object();
        event.partitions().forEach((id, partitions) -> PartitionsJson.write(out.name(id.value()), partitions));
        out.end();
        writeFlag(out, "plain", event.onlyPartitions());
    }

    static ClassicEvent read(String kind, Fields fields) {
        return switch (kind.substring(PREFIX.length())) {
            case "id" -> new ClassicEvent.IdGiven(member(fields), duration(fields, "session"));
            case "id-dropped" -> new ClassicEvent.IdDropped(member(fields));
            case "joined" -> new ClassicEvent.Joined(readSpec(fields.object("member")), fields.string("what"));
            case "rejoined" ->
                new ClassicEvent.Rejoined(
                        member(fields),
                        fields.has("spec") ? Optional.of(readSpec(fields.object("spec"))) : Optional.empty(),
                        fields.optional("why"));
            case "replaced" ->
                new ClassicEvent.Replaced(
                        new MemberId(fields.string("old")),
                        readSpec(fields.object("member")),
                        fields.flag("waiting"),
                        fields.optional("why"));
            case "rebalance" ->
                new ClassicEvent.RebalanceBegan(
                        duration(fields, "after"), fields.optional("atMost").map(Duration::parse));
            case "extended" -> new ClassicEvent.RebalanceExtended(duration(fields, "after"));
            case "generation" ->
                new ClassicEvent.GenerationFormed(
                        fields.number("generation"),
                        fields.optional("protocol"),
                        fields.optional("leader").map(MemberId::new),
                        fields.string("cause"),
                        duration(fields, "after"));
            case "assigned" -> readAssigned(fields);
            case "synced" -> new ClassicEvent.Synced(member(fields));
            case "left" -> new ClassicEvent.Left(member(fields), EventJson.cause(fields), fields.string("reason"));
            case "away" ->
                // The first lines of this kind had no cause, because there was only one.
                new ClassicEvent.Away(
                        member(fields), fields.has("cause") ? EventJson.cause(fields) : LeaveCause.PROCESS_DIED);
            case "adopted" -> new ClassicEvent.Adopted(member(fields), new HostId(fields.string("host")));
            case "committed" ->
                new ClassicEvent.Committed(fields.optional("member").map(MemberId::new), EventJson.offsets(fields));
            default -> throw Fields.bad("event \"" + kind + "\" is unknown");
        };
    }

    private static MemberId member(Fields fields) {
        return new MemberId(fields.string("member"));
    }

    private static Duration duration(Fields fields, String name) {
        return Duration.parse(fields.string(name));
    }

    private static ClassicEvent readAssigned(Fields fields) {
        SortedMap<MemberId, Opaque> assignment = new TreeMap<>();
        fields.object("assignment")
                .each((id, bytes) -> assignment.put(new MemberId(id), Opaque.ofBase64(bytes.toString())));
        SortedMap<MemberId, SortedSet<TopicPartition>> partitions = new TreeMap<>();
        fields.object("partitions")
                .each((id, those) -> partitions.put(
                        new MemberId(id), PartitionsJson.read(new Fields("partitions of " + id, those))));
        return new ClassicEvent.Assigned(fields.number("generation"), assignment, partitions, fields.flag("plain"));
    }

    // Members

    private static void writeSpec(JsonWriter out, ClassicSpec spec) {
        out.object().field("id", spec.id());
        spec.instance().ifPresent(instance -> out.field("instance", instance));
        out.field("client", spec.client()).field("address", spec.address()).field("host", spec.host());
        out.field("session", spec.session()).field("rebalance", spec.rebalance());
        out.field("type", spec.protocolType());
        writeProtocols(out, spec.protocols());
        spec.consumerMetadata().ifPresent(reading -> {
            out.field("topics", reading.topics());
            if (!reading.owned().isEmpty()) {
                PartitionsJson.write(out.name("owned"), reading.owned());
            }
        });
        out.end();
    }

    static void writeProtocols(JsonWriter out, List<Protocol> protocols) {
        out.name("protocols").array();
        protocols.forEach(protocol -> out.object()
                .field("name", protocol.name())
                .field("metadata", protocol.metadata().toBase64())
                .end());
        out.end();
    }

    static List<Protocol> readProtocols(Fields fields) {
        List<Protocol> protocols = new ArrayList<>();
        for (Object value : fields.list("protocols")) {
            Fields one = new Fields("protocol", value);
            protocols.add(new Protocol(one.string("name"), Opaque.ofBase64(one.string("metadata"))));
            one.done();
        }
        return protocols;
    }

    private static ClassicSpec readSpec(Fields fields) {
        ClassicSpec spec = new ClassicSpec(
                new MemberId(fields.string("id")),
                fields.optional("instance"),
                fields.string("client"),
                fields.string("address"),
                new HostId(fields.string("host")),
                duration(fields, "session"),
                duration(fields, "rebalance"),
                fields.string("type"),
                readProtocols(fields),
                fields.has("topics") ? Optional.of(readMetadata(fields)) : Optional.empty());
        fields.done();
        return spec;
    }

    private static ConsumerMetadata readMetadata(Fields fields) {
        SortedSet<TopicName> topics = new TreeSet<>();
        fields.list("topics").forEach(name -> topics.add(new TopicName(name.toString())));
        return new ConsumerMetadata(
                topics, fields.has("owned") ? PartitionsJson.read(fields.object("owned")) : PartitionSets.NONE);
    }

    // The whole state

    /** Writes the classic part of a group. Writes nothing if the group never followed the classic rules. */
    static void writeGroup(JsonWriter out, ClassicGroup group) {
        if (group.equals(ClassicGroup.NONE)) {
            return;
        }
        out.name("classic").object().field("state", group.state());
        out.name("patience")
                .object()
                .field("token", group.timeouts().token())
                .field("after", group.timeouts().after());
        group.timeouts().atMost().ifPresent(most -> out.field("atMost", most));
        out.end();
        group.protocolType().ifPresent(type -> out.field("type", type));
        group.protocol().ifPresent(protocol -> out.field("protocol", protocol));
        group.leader().ifPresent(leader -> out.field("leader", leader));
        out.name("members").array();
        group.members().values().forEach(member -> writeMember(out, member));
        out.end().name("ids").array();
        group.pendingIds()
                .forEach((id, given) -> out.object()
                        .field("id", id)
                        .field("session", given.session())
                        .field("token", given.token())
                        .end());
        out.end();
        SnapshotJson.writeChanges(out, group.changes());
        out.end();
    }

    private static void writeMember(JsonWriter out, ClassicMember member) {
        writeSpec(out.object().name("spec"), member.spec());
        out.field("joinedAt", member.joinedAt());
        writeFlag(out, "fresh", member.fresh());
        writeFlag(out, "waiting", member.waiting());
        writeFlag(out, "synced", member.synced());
        writeFlag(out, "resumed", member.resumed());
        if (!member.assignment().isEmpty()) {
            out.field("assignment", member.assignment().toBase64());
        }
        member.assignedPartitions().ifPresent(given -> PartitionsJson.write(out.name("given"), given));
        member.away().ifPresent(token -> out.field("away", token));
        out.end();
    }

    static ClassicGroup readGroup(Fields fields) {
        if (!fields.has("classic")) {
            return ClassicGroup.NONE;
        }
        Fields one = fields.object("classic");
        Fields patience = one.object("patience");
        ClassicGroup group = new ClassicGroup(
                state(one.string("state")),
                new RebalanceTimeouts(
                        patience.number("token"),
                        duration(patience, "after"),
                        patience.optional("atMost").map(Duration::parse)),
                one.optional("type"),
                one.optional("protocol"),
                one.optional("leader").map(MemberId::new),
                readMembers(one),
                readIds(one),
                SnapshotJson.readChanges(one));
        patience.done();
        one.done();
        return group;
    }

    private static ClassicState state(String name) {
        for (ClassicState state : ClassicState.values()) {
            if (state.toString().equals(name)) {
                return state;
            }
        }
        throw Fields.bad("state \"" + name + "\" is unknown");
    }

    private static SequencedMap<MemberId, ClassicMember> readMembers(Fields fields) {
        SequencedMap<MemberId, ClassicMember> members = new LinkedHashMap<>();
        for (Object value : fields.list("members")) {
            Fields one = new Fields("member", value);
            ClassicSpec spec = readSpec(one.object("spec"));
            members.put(
                    spec.id(),
                    new ClassicMember(
                            spec,
                            one.number("joinedAt"),
                            one.flag("fresh"),
                            one.flag("waiting"),
                            one.flag("synced"),
                            one.flag("resumed"),
                            one.optional("assignment").map(Opaque::ofBase64).orElse(Opaque.EMPTY),
                            one.has("given") ? Optional.of(PartitionsJson.read(one.object("given"))) : Optional.empty(),
                            one.has("away") ? OptionalLong.of(one.number("away")) : OptionalLong.empty()));
            one.done();
        }
        return members;
    }

    private static SequencedMap<MemberId, PendingMemberId> readIds(Fields fields) {
        SequencedMap<MemberId, PendingMemberId> ids = new LinkedHashMap<>();
        for (Object value : fields.list("ids")) {
            Fields one = new Fields("id", value);
            ids.put(new MemberId(one.string("id")), new PendingMemberId(duration(one, "session"), one.number("token")));
            one.done();
        }
        return ids;
    }
}
