package dev.muster.embedded;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicMember;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberId;
import dev.muster.core.group.model.TopicShape;
import dev.muster.core.group.repair.RepairPlan;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.group.view.GroupLag;
import dev.muster.store.PartitionLog;
import dev.muster.store.Topic;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.group.DamagedGroupException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** Looks at groups and changes them from outside. */
final class GroupAdmin implements Groups {
    private static final VersionedGroup NOTHING = new VersionedGroup(0, Group.empty(), 0);

    /** Throws when the instance this belongs to is closed. */
    private final Supplier<GroupService> service;

    GroupAdmin(Supplier<GroupService> service) {
        this.service = service;
    }

    @Override
    public List<String> list() {
        return service.get().list().stream().map(GroupName::value).toList();
    }

    @Override
    public Optional<Group> find(String group) {
        return service.get().look(new GroupName(group)).map(VersionedGroup::group);
    }

    @Override
    public Snapshot snapshot(String group) {
        return snapshot(service.get().look(new GroupName(group)).orElse(NOTHING));
    }

    private static Snapshot snapshot(VersionedGroup seen) {
        return new Snapshot(seen.version(), seen.group());
    }

    @Override
    public Snapshot await(String group, long version, Duration timeout) {
        long nanos = timeout.compareTo(Duration.ofDays(365)) < 0 ? timeout.toNanos() : Long.MAX_VALUE / 2;
        return snapshot(
                service.get().await(new GroupName(group), version, nanos).orElse(NOTHING));
    }

    @Override
    public Set<String> dead(String group) {
        GroupService groups = service.get();
        Set<String> dead = new TreeSet<>();
        groups.look(new GroupName(group))
                .ifPresent(seen -> groups.dead(seen.group()).keySet().forEach(member -> dead.add(member.value())));
        return dead;
    }

    @Override
    public Optional<Instant> lastSign(String group, String member) {
        GroupService groups = service.get();
        MemberId id = new MemberId(member);
        Group present = groups.look(new GroupName(group)).orElse(NOTHING).group();
        Optional<HostId> host = Optional.ofNullable(present.members().get(id))
                .map(known -> known.spec().host())
                .or(() -> present.classic().member(id).map(known -> known.spec().host()));
        return host.map(groups::lastSign)
                .filter(OptionalLong::isPresent)
                .map(sign -> Instant.ofEpochMilli(sign.getAsLong()));
    }

    @Override
    public List<Lag> lag(String group) {
        GroupService groups = service.get();
        Group present = groups.look(new GroupName(group))
                .orElseThrow(() -> missing(group))
                .group();
        return GroupLag.in(groups.store(), present, groups.world().wallMillis()).stream()
                .map(lag -> new Lag(
                        lag.partition(),
                        lag.committed(),
                        lag.start(),
                        lag.end(),
                        lag.records(),
                        lag.behind(),
                        lag.owner().map(MemberId::value)))
                .toList();
    }

    @Override
    public SortedMap<TopicPartition, Long> reset(String group, SortedMap<TopicPartition, Long> offsets) {
        return set(group, offsets, Command.Reset::new);
    }

    @Override
    public SortedMap<TopicPartition, Long> resetLive(
            String group, SortedMap<TopicPartition, Long> offsets, ByHand reason) {
        return set(
                group, offsets, (commits, topics) -> new Command.Rewind(commits, topics, reason.who(), reason.why()));
    }

    private SortedMap<TopicPartition, Long> set(
            String group,
            SortedMap<TopicPartition, Long> offsets,
            BiFunction<SortedMap<TopicPartition, CommittedOffset>, SortedMap<TopicName, TopicShape>, Command> command) {
        GroupService groups = service.get();
        SortedMap<TopicPartition, Long> set = new TreeMap<>();
        offsets.forEach((partition, offset) -> set.put(partition, inRange(groups, partition, offset)));
        SortedMap<TopicPartition, CommittedOffset> commits = new TreeMap<>();
        set.forEach((partition, offset) -> commits.put(partition, new CommittedOffset(offset)));
        change(new GroupName(group), any -> command.apply(commits, shapes(groups, set.keySet())));
        return set;
    }

    @Override
    public void expect(String group, int members, Duration within) {
        Optional<Expectation> expectation =
                members == 0 ? Optional.empty() : Optional.of(new Expectation(members, within));
        change(new GroupName(group), any -> new Command.Expect(expectation));
    }

    @Override
    public void complete(String group, ByHand reason) {
        GroupReplica replica = existing(group);
        expectDone(replica.propose(new Command.Complete(reason.who())));
        service.get().publish(replica.name());
    }

    /** Changes a group, which is made when it is not there. */
    private void change(GroupName name, Function<Group, Command> question) {
        GroupService groups = service.get();
        GroupReplica replica = groups.open(name);
        groups.buryDead(replica);
        Reply reply = replica.propose(question);
        if (reply instanceof Reply.GroupDeleted) {
            // Whoever wrote down its end died before he removed it: this begins it anew.
            groups.delete(replica);
            reply = groups.open(name).propose(question);
        }
        expectDone(reply);
        groups.publish(name);
    }

    private static long inRange(GroupService groups, TopicPartition partition, long offset) {
        Topic topic = topic(groups, partition.topic());
        if (partition.partition() >= topic.partitions()) {
            throw new TopicNotFoundException("partition " + partition.partition() + " of topic \"" + topic.name()
                    + "\", which has " + topic.partitions());
        }
        PartitionLog log = groups.store().log(topic.id(), partition.partition());
        long start = log.startOffset();
        return Math.clamp(offset, start, Math.max(start, log.endOffset()));
    }

    private static Topic topic(GroupService groups, TopicName name) {
        return groups.store().find(name).orElseThrow(() -> new TopicNotFoundException("topic \"" + name + "\""));
    }

    private static SortedMap<TopicName, TopicShape> shapes(GroupService groups, Set<TopicPartition> partitions) {
        SortedMap<TopicName, TopicShape> shapes = new TreeMap<>();
        for (TopicPartition partition : partitions) {
            shapes.computeIfAbsent(partition.topic(), name -> {
                Topic topic = topic(groups, name);
                return new TopicShape(topic.id(), topic.partitions());
            });
        }
        return shapes;
    }

    @Override
    public void forget(String group, Set<TopicPartition> partitions) {
        GroupReplica replica = existing(group);
        service.get().buryDead(replica);
        expectDone(replica.propose(new Command.Forget(new TreeSet<>(partitions))));
        service.get().publish(replica.name());
    }

    @Override
    public void remove(String group, String member) {
        GroupReplica replica = existing(group);
        Optional<MemberId> classic = replica.newest().group().classic().members().values().stream()
                .map(ClassicMember::spec)
                .filter(spec -> spec.id().value().equals(member)
                        || spec.instance().filter(member::equals).isPresent())
                .map(ClassicSpec::id)
                .findFirst();
        if (classic.isPresent()) {
            var leaver = new ClassicCommand.Leaver(classic, Optional.empty(), "removed by hand");
            replica.propose(new Command.Classic(new ClassicCommand.Leave(List.of(leaver)), new TreeMap<>()));
            service.get().publish(replica.name());
            return;
        }
        MemberId id = replica.newest().group().members().values().stream()
                .map(Member::spec)
                .filter(spec -> spec.id().value().equals(member)
                        || spec.instance().filter(member::equals).isPresent())
                .findFirst()
                .orElseThrow(() -> new GroupRefusedException(
                        "there is no member \"" + member + "\" in group \"" + group + "\"; see its members"))
                .id();
        expectDone(replica.propose(new Command.Leave(id, LeaveCause.REMOVED, false)));
        service.get().publish(replica.name());
    }

    @Override
    public void delete(String group) {
        try {
            GroupReplica replica = existing(group);
            service.get().buryDead(replica);
            Reply reply = replica.propose(new Command.Delete());
            if (!(reply instanceof Reply.GroupDeleted)) {
                expectDone(reply);
            }
            // Also when the process that wrote the end died before it came to this.
            service.get().delete(replica);
        } catch (DamagedGroupException e) {
            // No process knows whether it has members.
            service.get().remove(new GroupName(group));
        }
    }

    @Override
    public Optional<RepairPlan> planRepair(String group) {
        return service.get().planRepair(new GroupName(group));
    }

    @Override
    public void repair(RepairPlan plan) {
        Set<HostId> writers = plan.writers();
        if (!writers.isEmpty()) {
            throw new GroupRefusedException(
                    "group \"" + plan.group() + "\" may be known to processes that live and cannot be asked: " + writers
                            + "; stop them, then repair");
        }
        if (!service.get().repair(plan)) {
            throw new GroupRefusedException(
                    "group \"" + plan.group() + "\" changed since the plan was made; look again");
        }
    }

    private GroupReplica existing(String group) {
        return service.get().find(new GroupName(group)).orElseThrow(() -> missing(group));
    }

    private static GroupRefusedException missing(String group) {
        return new GroupRefusedException(
                "there is no group \"" + group + "\"", "groups().list() names those that there are");
    }

    private static void expectDone(Reply reply) {
        if (reply instanceof Reply.Refusal refusal) {
            throw new GroupRefusedException(refusal.text());
        }
    }
}
