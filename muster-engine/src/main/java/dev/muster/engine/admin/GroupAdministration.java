package dev.muster.engine.admin;

import dev.muster.core.MemberId;
import dev.muster.core.Topic;
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
import dev.muster.core.group.model.TopicShape;
import dev.muster.core.group.repair.RepairPlan;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.group.view.GroupLag;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.group.DamagedGroupException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Queries and changes of groups by an administrator. It joins no group. A change is in the group's journal when its
 * method returns. Safe for many threads.
 *
 * <p>Every method throws {@link GroupChangeRefusedException} if the group's rules refuse the change, or if the group
 * must exist and does not.
 */
public final class GroupAdministration {
    private static final VersionedGroup NOTHING = new VersionedGroup(0, Group.empty(), 0);

    private final GroupService groups;

    public GroupAdministration(GroupService groups) {
        this.groups = groups;
    }

    // Questions

    public List<GroupName> list() {
        return groups.list();
    }

    /** The newest state of a group; version 0 and no members if there is no such group. */
    public VersionedGroup look(GroupName group) {
        return groups.look(group).orElse(NOTHING);
    }

    /** Waits until the group has another version than this one, or for the timeout. Returns the newest state. */
    public VersionedGroup await(GroupName group, long version, Duration timeout) {
        long nanos = timeout.compareTo(Duration.ofDays(365)) < 0 ? timeout.toNanos() : Long.MAX_VALUE / 2;
        return groups.await(group, version, nanos).orElse(NOTHING);
    }

    /** Members whose processes are dead, and whose deaths are not in the journal yet. */
    public Set<MemberId> dead(GroupName group) {
        return groups.look(group)
                .<Set<MemberId>>map(seen -> groups.dead(seen.group()).keySet())
                .orElseGet(Set::of);
    }

    /**
     * The last sign of life of a member's process, in milliseconds since 1970; empty if there is no such member, or if
     * the time is no longer known.
     */
    public OptionalLong lastSign(GroupName group, MemberId member) {
        Group present = look(group).group();
        Optional<HostId> host = Optional.ofNullable(present.members().get(member))
                .map(known -> known.spec().host())
                .or(() -> present.classic()
                        .member(member)
                        .map(known -> known.spec().host()));
        return host.map(groups::lastSign).orElseGet(OptionalLong::empty);
    }

    /** The lag of each partition that the group reads or has commits of. */
    public List<GroupLag.Lag> lag(GroupName group) {
        Group present = groups.look(group).orElseThrow(() -> missing(group)).group();
        return GroupLag.in(groups.store(), present, groups.runtime().wallMillis());
    }

    // Changes

    /**
     * Sets offsets of a group, and creates the group if necessary. Refused while members read these topics.
     *
     * @return the offsets that were set: an offset outside the log is replaced by the nearest one in it
     */
    public SortedMap<TopicPartition, Long> reset(GroupName group, SortedMap<TopicPartition, Long> offsets) {
        return set(group, offsets, Command.Reset::new);
    }

    /**
     * As {@link #reset}, but also while members read these topics.
     *
     * @param administrator name of the administrator, for the timeline
     * @param why reason, for the timeline; may be empty
     */
    public SortedMap<TopicPartition, Long> rewind(
            GroupName group, SortedMap<TopicPartition, Long> offsets, String administrator, String why) {
        return set(group, offsets, (commits, topics) -> new Command.Rewind(commits, topics, administrator, why));
    }

    private SortedMap<TopicPartition, Long> set(
            GroupName group,
            SortedMap<TopicPartition, Long> offsets,
            BiFunction<SortedMap<TopicPartition, CommittedOffset>, SortedMap<TopicName, TopicShape>, Command> command) {
        SortedMap<TopicPartition, Long> set = new TreeMap<>();
        offsets.forEach((partition, offset) -> set.put(partition, inRange(partition, offset)));
        SortedMap<TopicPartition, CommittedOffset> commits = new TreeMap<>();
        set.forEach((partition, offset) -> commits.put(partition, new CommittedOffset(offset)));
        change(group, any -> command.apply(commits, shapes(set.keySet())));
        return set;
    }

    /**
     * Lets the group wait for a number of members each time it forms.
     *
     * @param members number of members to wait for; 0 ends the waiting
     * @param within longest wait, from the first member on
     */
    public void expect(GroupName group, int members, Duration within) {
        Optional<Expectation> expectation =
                members == 0 ? Optional.empty() : Optional.of(new Expectation(members, within));
        change(group, any -> new Command.Expect(expectation));
    }

    /**
     * Ends the wait of a forming group: it begins with its present members.
     *
     * @param administrator name of the administrator, for the timeline
     */
    public void complete(GroupName group, String administrator) {
        GroupReplica replica = existing(group);
        expectDone(replica.propose(new Command.Complete(administrator)));
        groups.publish(group);
    }

    /** Deletes commits. Refused while members read these topics. */
    public void forget(GroupName group, Set<TopicPartition> partitions) {
        GroupReplica replica = existing(group);
        groups.buryDead(replica);
        expectDone(replica.propose(new Command.Forget(new TreeSet<>(partitions))));
        groups.publish(group);
    }

    /**
     * Removes a member by hand.
     *
     * @param member id of the member, or its instance id
     */
    public void remove(GroupName group, String member) {
        GroupReplica replica = existing(group);
        Group present = replica.newest().group();
        Optional<MemberId> classic = present.classic().members().values().stream()
                .map(ClassicMember::spec)
                .filter(spec -> isNamed(member, spec.id(), spec.instance()))
                .map(ClassicSpec::id)
                .findFirst();
        if (classic.isPresent()) {
            var leaver = new ClassicCommand.Leaver(classic, Optional.empty(), "removed by hand");
            replica.propose(new Command.Classic(new ClassicCommand.Leave(List.of(leaver)), new TreeMap<>()));
        } else {
            MemberId id = replica.newest().group().members().values().stream()
                    .map(Member::spec)
                    .filter(spec -> isNamed(member, spec.id(), spec.instance()))
                    .findFirst()
                    .orElseThrow(() -> new GroupChangeRefusedException(
                            "there is no member \"" + member + "\" in group \"" + group + "\"; see its members"))
                    .id();
            expectDone(replica.propose(new Command.Leave(id, LeaveCause.REMOVED, false)));
        }
        groups.publish(group);
    }

    private static boolean isNamed(String name, MemberId id, Optional<String> instance) {
        return id.value().equals(name) || instance.filter(name::equals).isPresent();
    }

    /** Deletes a group with its commits. A damaged group can be deleted too. Refused while the group has members. */
    public void delete(GroupName group) {
        try {
            GroupReplica replica = existing(group);
            groups.buryDead(replica);
            Reply reply = replica.propose(new Command.Delete());
            if (!(reply instanceof Reply.GroupDeleted)) {
                expectDone(reply);
            }
            // Also if another process recorded the deletion and died before it removed the files.
            groups.delete(replica);
        } catch (DamagedGroupException e) {
            // The members of a damaged group are unknown, so the group is removed without that check.
            groups.remove(group);
        }
    }

    /** A plan for the repair of a group; empty if there is no such group. Changes nothing. */
    public Optional<RepairPlan> planRepair(GroupName group) {
        return groups.planRepair(group);
    }

    /**
     * Rebuilds a damaged group as planned. Refused if a living process may have a newer state, or if the group changed.
     */
    public void repair(RepairPlan plan) {
        Set<HostId> writers = plan.writers();
        if (!writers.isEmpty()) {
            throw new GroupChangeRefusedException("living processes may have a newer state of group \"" + plan.group()
                    + "\" and cannot be asked: " + writers + "; stop them, then repair");
        }
        if (!groups.repair(plan)) {
            throw new GroupChangeRefusedException(
                    "group \"" + plan.group() + "\" changed since the plan was made; look again");
        }
    }

    // Parts

    /** Changes a group, and creates it if necessary. */
    private void change(GroupName name, Function<Group, Command> question) {
        GroupReplica replica = groups.open(name);
        groups.buryDead(replica);
        Reply reply = replica.propose(question);
        if (reply instanceof Reply.GroupDeleted) {
            // Another process recorded the deletion and died before it removed the files: remove them, and begin a new
            // group.
            groups.delete(replica);
            reply = groups.open(name).propose(question);
        }
        expectDone(reply);
        groups.publish(name);
    }

    private long inRange(TopicPartition partition, long offset) {
        Topic topic = topic(partition.topic());
        if (partition.partition() >= topic.partitions()) {
            throw new TopicNotFoundException("partition " + partition.partition() + " of topic \"" + topic.name()
                    + "\", which has " + topic.partitions());
        }
        PartitionLog log = groups.store().log(topic.id(), partition.partition());
        long start = log.startOffset();
        return Math.clamp(offset, start, Math.max(start, log.endOffset()));
    }

    private Topic topic(TopicName name) {
        return groups.store().find(name).orElseThrow(() -> new TopicNotFoundException("topic \"" + name + "\""));
    }

    private SortedMap<TopicName, TopicShape> shapes(Set<TopicPartition> partitions) {
        SortedMap<TopicName, TopicShape> shapes = new TreeMap<>();
        for (TopicPartition partition : partitions) {
            shapes.computeIfAbsent(partition.topic(), name -> {
                Topic topic = topic(name);
                return new TopicShape(topic.id(), topic.partitions());
            });
        }
        return shapes;
    }

    private GroupReplica existing(GroupName group) {
        return groups.find(group).orElseThrow(() -> missing(group));
    }

    private static GroupChangeRefusedException missing(GroupName group) {
        return new GroupChangeRefusedException(
                "there is no group \"" + group + "\"", "groups().list() returns the existing groups");
    }

    private static void expectDone(Reply reply) {
        if (reply instanceof Reply.Refusal refusal) {
            throw new GroupChangeRefusedException(refusal.text());
        }
    }
}
