package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.assign.Assignors;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.core.group.model.TopicShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A group under test. Commands are decided; entries are written and read back as a journal would do. So every state
 * went through JSON. Each entry advances the time by one millisecond.
 */
public final class GroupFixture {
    public static final HostId HOST = new HostId("h1");

    public final List<String> journal = new ArrayList<>();
    public final SortedMap<TopicName, TopicShape> topics = new TreeMap<>();
    public Map<String, Assignor> assignors = Assignors.BUILT_IN;
    public Group group = Group.empty();
    public long now = 1_000;

    /** Decides a command, writes its events and reads them back. */
    public Decision ask(Command command) {
        Decision decision = group.decide(command, assignors);
        write(decision.events());
        return decision;
    }

    public Reply reply(Command command) {
        return ask(command).reply();
    }

    public void write(List<Event> events) {
        if (!events.isEmpty()) {
            String line = GroupJson.entry(new Entry(++now, HOST, events));
            journal.add(line);
            group = GroupJson.replay(group, line);
        }
    }

    /** Sets the number of partitions of a topic. */
    public GroupFixture topic(String name, int partitions) {
        topics.put(new TopicName(name), new TopicShape(new TopicId(new UUID(0, name.hashCode())), partitions));
        return this;
    }

    /**
     * Adds a member. The group still waits for further joins; {@link #settle} ends the wait and forms the generation.
     */
    public Reply join(MemberSpec spec) {
        return reply(new Command.Join(spec, topics));
    }

    /** Joins, settles, and makes all members release the partitions that they must release. */
    public void arrive(MemberSpec spec) {
        join(spec);
        settle();
        releaseAll();
    }

    public Decision settle() {
        return ask(new Command.Settle(group.pending().token()));
    }

    public void releaseAll() {
        for (Member member : group.members().values()) {
            if (!member.toRelease().isEmpty()) {
                ask(new Command.Release(member.spec().id(), member.toRelease()));
            }
        }
    }

    public SortedSet<TopicPartition> owned(String member) {
        return member(member).owned();
    }

    public Member member(String id) {
        return group.members().get(new MemberId(id));
    }

    // Values

    public static MemberSpec spec(String id, String... topics) {
        return new MemberSpec(
                new MemberId(id),
                Optional.empty(),
                id,
                HOST,
                Optional.empty(),
                subscription(topics),
                Timing.DEFAULT,
                "sticky");
    }

    public static MemberSpec on(String host, MemberSpec spec) {
        return new MemberSpec(
                spec.id(),
                spec.instance(),
                spec.client(),
                new HostId(host),
                spec.address(),
                spec.subscription(),
                spec.timing(),
                spec.assignor());
    }

    public static MemberSpec as(MemberSpec spec, String instance) {
        return new MemberSpec(
                spec.id(),
                Optional.of(instance),
                spec.client(),
                spec.host(),
                spec.address(),
                spec.subscription(),
                spec.timing(),
                spec.assignor());
    }

    public static MemberSpec remote(MemberSpec spec) {
        return new MemberSpec(
                spec.id(),
                spec.instance(),
                spec.client(),
                spec.host(),
                Optional.of("10.0.0.7"),
                spec.subscription(),
                spec.timing(),
                spec.assignor());
    }

    public static MemberSpec asking(MemberSpec spec, String assignor) {
        return new MemberSpec(
                spec.id(),
                spec.instance(),
                spec.client(),
                spec.host(),
                spec.address(),
                spec.subscription(),
                spec.timing(),
                assignor);
    }

    public static Subscription subscription(String... topics) {
        SortedSet<TopicName> names = new TreeSet<>();
        for (String topic : topics) {
            names.add(new TopicName(topic));
        }
        return new Subscription(names, Optional.empty());
    }

    public static TopicPartition partition(String topic, int number) {
        return TopicPartition.of(topic, number);
    }

    public static SortedSet<TopicPartition> partitions(String topic, int... numbers) {
        SortedSet<TopicPartition> all = new TreeSet<>();
        for (int number : numbers) {
            all.add(partition(topic, number));
        }
        return all;
    }

    public static SortedMap<TopicPartition, CommittedOffset> offsets(String topic, int partition, long offset) {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(partition(topic, partition), new CommittedOffset(offset));
        return offsets;
    }

    public static MemberId id(String id) {
        return new MemberId(id);
    }
}
