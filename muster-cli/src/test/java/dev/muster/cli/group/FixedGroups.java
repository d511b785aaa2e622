package dev.muster.cli.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignors;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.group.model.Protocol;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.core.group.model.TopicShape;
import dev.muster.core.group.repair.RepairPlan;
import dev.muster.embedded.admin.AdminReason;
import dev.muster.embedded.admin.GroupInfo;
import dev.muster.embedded.internal.GroupInspection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * One group named {@code billing} that lives by the real rules, at given times and without a store. Actions of
 * administrators are recorded and not performed.
 */
final class FixedGroups implements GroupInspection {
    /** 2026-01-31T12:00:00Z. */
    static final long START_MS = 1_769_860_800_000L;

    private static final UUID BOOT = new UUID(0, 1);

    final List<String> asked = new ArrayList<>();
    private final SortedMap<TopicName, TopicShape> topics = new TreeMap<>();
    private final Map<TopicPartition, long[]> logs = new TreeMap<>();
    private final Deque<Runnable> script = new ArrayDeque<>();
    private Group group = Group.empty();
    private long version;
    private boolean gone;
    final Set<String> dead = new TreeSet<>();
    long now = START_MS;

    FixedGroups topic(String name, int partitions) {
        topics.put(new TopicName(name), new TopicShape(new TopicId(new UUID(0, name.hashCode())), partitions));
        for (int i = 0; i < partitions; i++) {
            logs.put(partition(name, i), new long[] {0, 0});
        }
        return this;
    }

    FixedGroups log(String topic, int number, long start, long end) {
        logs.put(partition(topic, number), new long[] {start, end});
        return this;
    }

    static TopicPartition partition(String topic, int number) {
        return TopicPartition.of(topic, number);
    }

    Group group() {
        return group;
    }

    Reply ask(Command command) {
        var decision = group.decide(command, Assignors.BUILT_IN);
        if (!decision.events().isEmpty()) {
            group = group.apply(new Entry(now, host(1), decision.events()));
            version++;
        }
        return decision.reply();
    }

    static HostId host(int pid) {
        return new HostId(BOOT + "-" + pid + "-0-" + new UUID(1, pid));
    }

    static MemberSpec member(String name, int pid, String... topicNames) {
        TreeSet<TopicName> subscribed = new TreeSet<>();
        for (String topic : topicNames) {
            subscribed.add(new TopicName(topic));
        }
        return new MemberSpec(
                new MemberId(name + "-1f"),
                Optional.empty(),
                name,
                host(pid),
                Optional.empty(),
                new Subscription(subscribed, Optional.empty()),
                Timing.DEFAULT,
                "sticky");
    }

    static MemberSpec withInstance(MemberSpec spec, String id, String instance) {
        return new MemberSpec(
                new MemberId(id),
                Optional.of(instance),
                spec.client(),
                spec.host(),
                spec.address(),
                spec.subscription(),
                spec.timing(),
                spec.assignor());
    }

    /** A client on a network connection. */
    static MemberSpec remote(MemberSpec spec, String address) {
        return new MemberSpec(
                spec.id(),
                spec.instance(),
                spec.client(),
                spec.host(),
                Optional.of(address),
                spec.subscription(),
                spec.timing(),
                spec.assignor());
    }

    /** A member joins; the generation is made 10 ms later. */
    FixedGroups join(MemberSpec spec) {
        ask(new Command.Join(spec, topics));
        now += 10;
        return settle();
    }

    /** A member under the classic rules that is alone, leads, and assigns itself the first partition of a topic. */
    FixedGroups joinClassic(String name, String topic) {
        MemberId id = new MemberId(name + "-1f");
        ClassicSpec spec = new ClassicSpec(
                id,
                Optional.empty(),
                name,
                "/10.0.0.7",
                host(1),
                Duration.ofSeconds(45),
                Duration.ofMinutes(5),
                ClassicGroup.CONSUMER,
                List.of(new Protocol("range", Opaque.EMPTY)),
                Optional.of(new ConsumerMetadata(new TreeSet<>(List.of(new TopicName(topic))), new TreeSet<>())));
        var limits = new ClassicCommand.Limits(10, Duration.ZERO, Duration.ZERO);
        ask(new Command.Classic(new ClassicCommand.Join(Optional.empty(), spec, false, true, "hello", limits), topics));
        ask(new Command.Classic(
                new ClassicCommand.Sync(
                        new ClassicCommand.Caller(id, Optional.empty(), group.generation(), host(1)),
                        new ClassicCommand.SyncContent(
                                Optional.empty(),
                                Optional.empty(),
                                Map.of(),
                                Map.of(id, new TreeSet<>(List.of(partition(topic, 0)))),
                                true)),
                topics));
        return this;
    }

    FixedGroups settle() {
        for (GroupTimer wish : group.timers()) {
            if (wish instanceof GroupTimer.Settle(long token, HostId first, Duration after, Duration atMost)) {
                ask(new Command.Settle(token));
            }
        }
        return this;
    }

    /** All members release the partitions they must, a moment later. */
    FixedGroups release(long laterMs) {
        now += laterMs;
        for (Member member : List.copyOf(group.members().values())) {
            if (!member.toRelease().isEmpty()) {
                ask(new Command.Release(member.spec().id(), member.toRelease()));
            }
        }
        return this;
    }

    FixedGroups die(int pid) {
        ask(new Command.HostDied(host(pid)));
        return settle();
    }

    FixedGroups lostConnection(String member, int pid) {
        ask(new Command.SessionExpired(new MemberId(member), host(pid), LeaveCause.CONNECTION_LOST));
        return settle();
    }

    /** A client that is no member speaks under the name of one. */
    FixedGroups speaks(String member) {
        ask(new Command.ReportFalseAlarm(new MemberId(member)));
        return this;
    }

    FixedGroups rewind(String topic, int number, long offset, String why) {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(partition(topic, number), new CommittedOffset(offset));
        ask(new Command.Rewind(offsets, topics, "alice", why));
        return this;
    }

    FixedGroups expect(int members) {
        ask(new Command.Expect(Optional.of(new Expectation(members, Expectation.WITHIN))));
        return this;
    }

    FixedGroups commit(String topic, int number, long offset) {
        Ownership owner = group.owners().get(partition(topic, number));
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(partition(topic, number), new CommittedOffset(offset));
        ask(new Command.Commit(owner.member(), group.generation(), offsets));
        return this;
    }

    /** The group is deleted. */
    FixedGroups vanish() {
        gone = true;
        group = Group.empty();
        version = 0;
        return this;
    }

    /** The next {@code await} runs this action. */
    FixedGroups later(Runnable what) {
        script.add(what);
        return this;
    }

    @Override
    public Optional<GroupInfo> find(String name) {
        throw new AssertionError("the command line asks for the whole state");
    }

    @Override
    public GroupInfo await(String name, long seen, Duration timeout) {
        throw new AssertionError("the command line asks for the whole state");
    }

    @Override
    public List<String> list() {
        return List.of("billing");
    }

    @Override
    public Optional<Group> state(String name) {
        return name.equals("billing") && !gone ? Optional.of(group) : Optional.empty();
    }

    @Override
    public Snapshot awaitSnapshot(String name, long seen, Duration timeout) {
        if (script.isEmpty()) {
            throw new AssertionError("one look more than the test expects");
        }
        script.remove().run();
        return snapshot(name);
    }

    @Override
    public Snapshot snapshot(String name) {
        return new Snapshot(version, group);
    }

    @Override
    public Set<String> dead(String name) {
        return dead;
    }

    @Override
    public Optional<Instant> lastSign(String name, String member) {
        return dead.contains(member) ? Optional.of(Instant.ofEpochMilli(START_MS)) : Optional.empty();
    }

    @Override
    public List<Lag> lag(String name) {
        List<Lag> lags = new ArrayList<>();
        logs.forEach((partition, log) -> {
            var commit = group.offsets().get(partition);
            long behind = commit == null ? 0 : log[1] - commit.offset().offset();
            lags.add(new Lag(
                    partition,
                    commit == null
                            ? OptionalLong.empty()
                            : OptionalLong.of(commit.offset().offset()),
                    log[0],
                    log[1],
                    commit == null ? OptionalLong.empty() : OptionalLong.of(behind),
                    commit == null ? Optional.empty() : Optional.of(Duration.ofMillis(behind * 100)),
                    Optional.ofNullable(group.owners().get(partition))
                            .map(owner -> owner.member().value())));
        });
        return lags;
    }

    @Override
    public SortedMap<TopicPartition, Long> reset(String name, SortedMap<TopicPartition, Long> offsets) {
        asked.add("reset " + offsets);
        return offsets;
    }

    @Override
    public SortedMap<TopicPartition, Long> resetLive(
            String name, SortedMap<TopicPartition, Long> offsets, AdminReason reason) {
        asked.add("live reset " + offsets + (reason.why().isEmpty() ? "" : " because " + reason.why()));
        return offsets;
    }

    @Override
    public void expect(String name, int members, Duration within) {
        asked.add("expect " + name + " " + members + " " + within);
    }

    @Override
    public void complete(String name, AdminReason reason) {
        asked.add("complete " + name);
    }

    @Override
    public void forget(String name, Set<TopicPartition> partitions) {
        asked.add("forget " + partitions);
    }

    @Override
    public void remove(String name, String member) {
        asked.add("remove " + member);
    }

    @Override
    public void delete(String name) {
        asked.add("delete " + name);
    }

    @Override
    public Optional<RepairPlan> planRepair(String group) {
        return Optional.empty();
    }

    @Override
    public void repair(RepairPlan plan) {
        throw new UnsupportedOperationException();
    }
}
