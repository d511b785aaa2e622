package dev.muster.core.group.json;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.GroupState;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.FalseAlarm;
import dev.muster.core.group.model.FalseAlarms;
import dev.muster.core.group.model.FormerMember;
import dev.muster.core.group.model.Forming;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Origin;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.group.model.PartitionSets;
import dev.muster.core.group.model.PendingRebalance;
import dev.muster.core.group.model.SharedMap;
import dev.muster.core.group.model.TopicShape;
import dev.muster.core.json.JsonWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The JSON of a group's whole state. Partitions with the same value are written together, as ranges.
 *
 * <p>Two values are not written, because they follow from others. The partitions that a member owns follow from
 * {@code owners}. The generation since which a member must release a partition follows from {@code revoking}.
 */
final class SnapshotJson {
    private SnapshotJson() {}

    static void write(JsonWriter out, GroupState group) {
        out.object().field("generation", group.generation()).field("tokens", group.tokens());
        if (group.deleted()) {
            out.field("deleted", true);
        }
        EventJson.writeTopics(out.name("topics"), group.topics());
        out.name("members").array();
        group.members().values().forEach(member -> writeMember(out, member));
        out.end();
        writeGrouped(
                out,
                "owners",
                group.owners(),
                owner -> owner,
                owner -> out.field("member", owner.member())
                        .field("since", owner.since())
                        .field("at", owner.at()));
        writeGrouped(out, "revoking", group.revoking(), since -> since, since -> out.field("since", since));
        if (!group.recalled().isEmpty()) {
            writeGrouped(out, "recalled", group.recalled(), since -> since, since -> out.field("since", since));
        }
        writeCommits(out, group.offsets());
        HistoryJson.write(out, group.history());
        writePending(out, group.pending());
        writeForming(out, group);
        out.name("departed").array();
        group.formerMembers().forEach(departed -> {
            out.object().field("id", departed.id()).field("generation", departed.generation());
            departed.instance().ifPresent(instance -> out.field("instance", instance));
            departed.cause().ifPresent(cause -> out.field("cause", cause));
            departed.missing().ifPresent(origin -> writeOrigin(out, origin));
            out.end();
        });
        out.end();
        writeFalseAlarms(out, group.falseAlarms());
        ClassicJson.writeGroup(out, group.classic());
        out.end();
    }

    static GroupState read(Fields fields) {
        long generation = fields.number("generation");
        long tokens = fields.number("tokens");
        boolean deleted = fields.flag("deleted");
        SharedMap<TopicName, TopicShape> topics = SharedMap.copyOf(EventJson.readTopics(fields.object("topics")));
        SharedMap<TopicPartition, Ownership> owners = readOwners(fields);
        SharedMap<TopicPartition, Long> revoking = readSince(fields, "revoking");
        SharedMap<TopicPartition, Long> recalled = readSince(fields, "recalled");
        GroupState group = new GroupState(
                generation,
                deleted,
                tokens,
                readMembers(fields, owners, revoking, recalled),
                topics,
                owners,
                revoking,
                recalled,
                readCommits(fields),
                HistoryJson.read(fields),
                readPending(fields),
                readFormerMembers(fields),
                readFalseAlarms(fields),
                ClassicJson.readGroup(fields),
                readExpectation(fields),
                readForming(fields));
        fields.done();
        return group;
    }

    private static SharedMap<TopicPartition, Ownership> readOwners(Fields fields) {
        SortedMap<TopicPartition, Ownership> owners = new TreeMap<>();
        eachGroup(fields, "owners", (of, partitions) -> {
            Ownership owner = new Ownership(new MemberId(of.string("member")), of.number("since"), of.number("at"));
            partitions.forEach(partition -> owners.put(partition, owner));
        });
        return SharedMap.copyOf(owners);
    }

    private static List<FormerMember> readFormerMembers(Fields fields) {
        List<FormerMember> all = List.of();
        for (Object value : fields.list("departed")) {
            Fields one = new Fields("departed", value);
            Optional<LeaveCause> cause = one.has("cause") ? Optional.of(EventJson.cause(one)) : Optional.empty();
            Optional<Origin> missing = one.has("client") ? Optional.of(readOrigin(one)) : Optional.empty();
            all = FormerMember.add(
                    all,
                    new FormerMember(
                            new MemberId(one.string("id")),
                            one.optional("instance"),
                            cause,
                            one.number("generation"),
                            missing));
            one.done();
        }
        return all;
    }

    private static SharedMap<TopicPartition, Long> readSince(Fields fields, String name) {
        SortedMap<TopicPartition, Long> all = new TreeMap<>();
        eachGroup(fields, name, (of, partitions) -> {
            long since = of.number("since");
            partitions.forEach(partition -> all.put(partition, since));
        });
        return SharedMap.copyOf(all);
    }

    // Members

    private static void writeMember(JsonWriter out, Member member) {
        EventJson.writeSpec(out.object().name("spec"), member.spec());
        out.field("joinedAt", member.joinedAt());
        member.away().ifPresent(token -> out.field("away", token));
        PartitionsJson.write(out.name("target"), member.target());
        out.end();
    }

    private static SharedMap<MemberId, Member> readMembers(
            Fields fields,
            SharedMap<TopicPartition, Ownership> owners,
            SharedMap<TopicPartition, Long> revoking,
            SharedMap<TopicPartition, Long> recalled) {
        Map<MemberId, SortedSet<TopicPartition>> owned = new LinkedHashMap<>();
        owners.forEach((partition, owner) ->
                owned.computeIfAbsent(owner.member(), id -> new TreeSet<>()).add(partition));
        SharedMap<MemberId, Member> members = SharedMap.empty();
        for (Object value : fields.list("members")) {
            Fields one = new Fields("member", value);
            MemberSpec spec = EventJson.readSpec(one.object("spec"));
            Member member = new Member(spec, one.number("joinedAt"));
            member = one.has("away") ? member.goneAway(one.number("away")) : member;
            members = members.with(
                    spec.id(),
                    member.with(
                            PartitionsJson.read(one.object("target")),
                            PartitionSets.copyOf(owned.getOrDefault(spec.id(), PartitionSets.NONE)),
                            revoking,
                            recalled));
            one.done();
        }
        return members;
    }

    // Commits

    private record Committer(Optional<MemberId> by, long at) {}

    private static void writeCommits(JsonWriter out, SortedMap<TopicPartition, Commit> offsets) {
        Map<Committer, SortedMap<TopicPartition, CommittedOffset>> grouped = new LinkedHashMap<>();
        offsets.forEach((partition, commit) -> grouped.computeIfAbsent(
                        new Committer(commit.by(), commit.at()), committer -> new TreeMap<>())
                .put(partition, commit.offset()));
        out.name("offsets").array();
        grouped.forEach((committer, those) -> {
            out.object().field("at", committer.at());
            committer.by().ifPresent(by -> out.field("by", by));
            EventJson.writeOffsets(out, those);
            out.end();
        });
        out.end();
    }

    private static SharedMap<TopicPartition, Commit> readCommits(Fields fields) {
        SortedMap<TopicPartition, Commit> offsets = new TreeMap<>();
        for (Object value : fields.list("offsets")) {
            Fields one = new Fields("offsets", value);
            long at = one.number("at");
            Optional<MemberId> by = one.optional("by").map(MemberId::new);
            EventJson.offsets(one).forEach((partition, offset) -> offsets.put(partition, new Commit(offset, at, by)));
            one.done();
        }
        return SharedMap.copyOf(offsets);
    }

    // Changes that wait for a generation

    private static void writePending(JsonWriter out, PendingRebalance pending) {
        if (!pending.waiting()) {
            return;
        }
        out.name("pending").object().field("token", pending.token()).field("joins", pending.joins());
        if (pending.remote()) {
            out.field("remote", true);
        }
        pending.host().ifPresent(host -> out.field("host", host));
        writeChanges(out, pending.changes());
        out.end();
    }

    static void writeChanges(JsonWriter out, List<Change> changes) {
        out.name("changes").array();
        changes.forEach(change -> out.object()
                .field("what", change.predicate())
                .field("count", change.count())
                .field("who", change.names())
                .end());
        out.end();
    }

    static List<Change> readChanges(Fields fields) {
        return fields.list("changes").stream()
                .map(value -> {
                    Fields change = new Fields("change", value);
                    var who = change.list("who").stream().map(Object::toString).toList();
                    Change read = new Change(change.string("what"), who, Math.toIntExact(change.number("count")));
                    change.done();
                    return read;
                })
                .toList();
    }

    private static PendingRebalance readPending(Fields fields) {
        if (!fields.has("pending")) {
            return PendingRebalance.none();
        }
        Fields one = fields.object("pending");
        PendingRebalance pending = new PendingRebalance(
                one.number("token"),
                Math.toIntExact(one.number("joins")),
                one.flag("remote"),
                one.optional("host").map(HostId::new),
                readChanges(one));
        one.done();
        return pending;
    }

    // Expected members

    private static void writeForming(JsonWriter out, GroupState group) {
        group.expectation().ifPresent(expectation -> {
            EventJson.writeExpectation(out.name("expected").object(), expectation);
            out.end();
        });
        group.forming().ifPresent(forming -> {
            EventJson.writeExpectation(out.name("forming").object(), forming.expectation());
            out.field("token", forming.token()).field("since", forming.since()).end();
        });
    }

    private static Optional<Expectation> readExpectation(Fields fields) {
        if (!fields.has("expected")) {
            return Optional.empty();
        }
        Fields one = fields.object("expected");
        Expectation expectation = EventJson.readExpectation(one);
        one.done();
        return Optional.of(expectation);
    }

    private static Optional<Forming> readForming(Fields fields) {
        if (!fields.has("forming")) {
            return Optional.empty();
        }
        Fields one = fields.object("forming");
        Forming forming = new Forming(EventJson.readExpectation(one), one.number("token"), one.number("since"));
        one.done();
        return Optional.of(forming);
    }

    // False alarms

    private static void writeOrigin(JsonWriter out, Origin origin) {
        out.field("client", origin.client()).field("address", origin.address());
    }

    private static Origin readOrigin(Fields fields) {
        return new Origin(fields.string("client"), fields.string("address"));
    }

    private static void writeFalseAlarms(JsonWriter out, FalseAlarms alarms) {
        if (alarms.count() == 0) {
            return;
        }
        out.name("falseAlarms").object().field("count", alarms.count());
        out.name("last").array();
        alarms.last().forEach(alarm -> {
            writeOrigin(out.object().field("member", alarm.member()), alarm.origin());
            out.field("generation", alarm.generation()).field("at", alarm.at()).end();
        });
        out.end().end();
    }

    private static FalseAlarms readFalseAlarms(Fields fields) {
        if (!fields.has("falseAlarms")) {
            return FalseAlarms.NONE;
        }
        Fields all = fields.object("falseAlarms");
        List<FalseAlarm> last = all.list("last").stream()
                .map(value -> {
                    Fields one = new Fields("false alarm", value);
                    FalseAlarm alarm = new FalseAlarm(
                            new MemberId(one.string("member")),
                            readOrigin(one),
                            one.number("generation"),
                            one.number("at"));
                    one.done();
                    return alarm;
                })
                .toList();
        FalseAlarms alarms = new FalseAlarms(all.number("count"), last);
        all.done();
        return alarms;
    }

    // Partitions with the same value

    /** Writes a list of objects, each with one value and the partitions that have it. */
    static <V, T> void writeGrouped(
            JsonWriter out, String name, SortedMap<TopicPartition, V> map, Function<V, T> truth, Consumer<T> write) {
        Map<T, SortedSet<TopicPartition>> grouped = new LinkedHashMap<>();
        map.forEach((partition, value) -> grouped.computeIfAbsent(truth.apply(value), t -> new TreeSet<>())
                .add(partition));
        out.name(name).array();
        grouped.forEach((value, partitions) -> {
            out.object();
            write.accept(value);
            PartitionsJson.write(out.name("partitions"), partitions);
            out.end();
        });
        out.end();
    }

    static void eachGroup(Fields fields, String name, BiConsumer<Fields, SortedSet<TopicPartition>> action) {
        for (Object value : fields.list(name)) {
            Fields one = new Fields(name, value);
            action.accept(one, EventJson.partitions(one));
            one.done();
        }
    }
}
