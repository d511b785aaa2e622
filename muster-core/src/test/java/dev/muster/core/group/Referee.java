package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.TopicShape;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Watches the events of a group and keeps its own state, slowly and simply; it shares no code with the rules. It throws
 * {@link Foul} at the first event that breaks a promise.
 */
final class Referee {
    static final class Foul extends AssertionError {
        private static final long serialVersionUID = 1;

        Foul(String text) {
            super(text);
        }
    }

    record Holding(MemberId member, long since) {}

    final Map<MemberId, MemberSpec> members = new TreeMap<>();
    final Set<MemberId> away = new HashSet<>();

    /** Members that were expelled because their connection was lost, and have sent nothing since. */
    final Set<MemberId> missing = new HashSet<>();

    final Map<TopicName, TopicShape> topics = new TreeMap<>();
    final Map<TopicPartition, Holding> holders = new TreeMap<>();
    final Map<TopicPartition, MemberId> targets = new TreeMap<>();
    final Map<TopicPartition, Long> offsets = new TreeMap<>();

    /** Partitions that their holder must release, and the generation since which it must. */
    final Map<TopicPartition, Long> wanted = new TreeMap<>();

    /** Partitions that their holder must release because their offsets were set by hand. */
    final Set<TopicPartition> recalled = new TreeSet<>();

    /** The number of members that the group waits for before any member gets a partition; 0 if it does not wait. */
    int waitedFor;

    long generation;

    /** True if a change occurred that no generation has taken yet. */
    boolean unsettled;

    void watch(Collection<Event> events) {
        events.forEach(this::watch);
    }

    void watch(Event event) {
        switch (event) {
            case Event.MemberJoined e -> {
                foulIf(
                        members.putIfAbsent(e.member().id(), e.member()) != null,
                        e.member().id() + " joined twice");
                unsettled = true;
            }
            case Event.MemberReturned e -> returned(e.old(), e.now());
            case Event.MemberAway e -> {
                present(e.member());
                foulIf(!away.add(e.member()), e.member() + " went away twice");
            }
            case Event.FalseAlarm e ->
                foulIf(!missing.remove(e.member()), e.member() + " is a false alarm, and was not missing");
            case Event.MemberLeft e -> left(e);
            case Event.MemberSubscribed e -> {
                present(e.member());
                members.compute(e.member(), (id, spec) -> spec.with(e.subscription()));
                unsettled = true;
            }
            case Event.TopicsChanged e -> topicsChanged(e.topics());
            case Event.Rebalanced e -> rebalanced(e);
            case Event.Released e -> e.partitions().forEach(partition -> released(e.member(), partition));
            case Event.Granted e -> e.partitions().forEach(partition -> granted(e.member(), partition));
            case Event.Committed e -> committed(e);
            case Event.OffsetsReset e -> reset(e);
            case Event.Rewound e -> rewound(e);
            case Event.MembersExpected e ->
                waitedFor = waitedFor == 0
                        ? 0
                        : e.expectation().map(Expectation::members).orElse(waitedFor);
            case Event.FormingBegan e -> {
                foulIf(members.size() != 1, "forming begins with " + members.keySet());
                waitedFor = e.expectation().members();
            }
            case Event.Formed _ -> {
                foulIf(waitedFor == 0, "formed, and the group did not wait");
                waitedFor = 0;
                unsettled = true;
            }
            case Event.OffsetsForgotten e -> forgotten(e);
            case Event.GroupDeleted _ -> {
                foulIf(!members.isEmpty(), "deleted with members");
                offsets.clear();
                topics.clear();
            }
            case Event.BecameModern _, Event.BecameClassic _ -> throw new Foul("no member here is classic: " + event);
            case Event.Classic e -> throw new Foul("by the classic rules: " + e.event());
        }
    }

    private void left(Event.MemberLeft event) {
        present(event.member());
        if (event.cause() == LeaveCause.CONNECTION_LOST) {
            missing.add(event.member());
        } else {
            missing.remove(event.member());
        }
        members.remove(event.member());
        away.remove(event.member());
        holders.values().removeIf(holding -> holding.member().equals(event.member()));
        targets.values().removeIf(event.member()::equals);
        wanted.keySet().retainAll(holders.keySet());
        recalled.retainAll(holders.keySet());
        waitedFor = members.isEmpty() ? 0 : waitedFor;
        unsettled = true;
    }

    private void committed(Event.Committed event) {
        event.offsets().forEach((partition, offset) -> {
            Holding holding = holders.get(partition);
            foulIf(
                    holding == null || !holding.member().equals(event.member()),
                    event.member() + " committed " + partition + " of " + holding);
            offsets.put(partition, offset.offset());
        });
    }

    private void reset(Event.OffsetsReset event) {
        event.offsets().forEach((partition, offset) -> {
            foulIf(!readers(partition.topic()).isEmpty(), "offsets of " + partition + " reset while it is read");
            offsets.put(partition, offset.offset());
        });
    }

    private void forgotten(Event.OffsetsForgotten event) {
        event.partitions().forEach(partition -> {
            foulIf(!readers(partition.topic()).isEmpty(), "offsets of " + partition + " forgotten while it is read");
            foulIf(offsets.remove(partition) == null, "no offset of " + partition + " to forget");
        });
    }

    private void returned(MemberId old, MemberSpec now) {
        present(old);
        MemberSpec before = members.remove(old);
        foulIf(
                !old.equals(now.id())
                        && (!away.contains(old) || !before.instance().equals(now.instance())),
                now.id() + " took the place of " + old);
        away.remove(old);
        members.put(now.id(), now);
        holders.replaceAll((partition, holding) ->
                holding.member().equals(old) ? new Holding(now.id(), holding.since()) : holding);
        targets.replaceAll((partition, member) -> member.equals(old) ? now.id() : member);
        unsettled |= !before.subscription().equals(now.subscription());
    }

    private void topicsChanged(Map<TopicName, TopicShape> now) {
        for (TopicName topic : union(topics.keySet(), now.keySet())) {
            TopicShape old = topics.get(topic);
            TopicShape shape = now.get(topic);
            if (!Objects.equals(old, shape) && !readers(topic).isEmpty()) {
                unsettled = true;
            }
            if (old != null && (shape == null || !shape.id().equals(old.id()))) {
                for (Map<TopicPartition, ?> map : List.of(holders, targets, offsets, wanted)) {
                    map.keySet().removeIf(partition -> partition.topic().equals(topic));
                }
                recalled.removeIf(partition -> partition.topic().equals(topic));
            } else if (old != null) {
                foulIf(shape.partitions() < old.partitions(), topic + " lost partitions");
            }
        }
        topics.clear();
        topics.putAll(now);
    }

    private void rebalanced(Event.Rebalanced event) {
        foulIf(event.generation() != generation + 1, "generation " + event.generation() + " after " + generation);
        generation = event.generation();
        unsettled = false;
        targets.clear();
        event.targets().forEach((member, target) -> {
            present(member);
            for (TopicPartition partition : target) {
                foulIf(!readers(partition.topic()).contains(member), member + " does not read " + partition);
                foulIf(targets.put(partition, member) != null, partition + " is in two targets");
            }
        });
        foulIf(waitedFor > 0 && !targets.isEmpty(), "partitions are assigned before all members joined: " + targets);
        // Many first members of a group without a generation get one without partitions.
        boolean tooEarly = event.reason().equals(Rebalance.MORE_ARE_COMING) && generation == 1 && holders.isEmpty();
        foulIf(
                waitedFor == 0 && !tooEarly && !targets.keySet().equals(wantedByAnyone()),
                "targets are not what members read: " + targets.keySet());
        holders.forEach((partition, holding) -> {
            if (holding.member().equals(targets.get(partition)) && !recalled.contains(partition)) {
                wanted.remove(partition);
            } else {
                wanted.putIfAbsent(partition, generation);
            }
        });
    }

    private void rewound(Event.Rewound event) {
        foulIf(event.generation() != generation + 1, "generation " + event.generation() + " after " + generation);
        generation = event.generation();
        event.offsets().forEach((partition, offset) -> {
            offsets.put(partition, offset.offset());
            if (holders.containsKey(partition)) {
                recalled.add(partition);
                wanted.putIfAbsent(partition, generation);
            }
        });
    }

    private void released(MemberId member, TopicPartition partition) {
        Holding holding = holders.remove(partition);
        foulIf(
                holding == null || !holding.member().equals(member),
                member + " released " + partition + " of " + holding);
        foulIf(
                member.equals(targets.get(partition)) && !recalled.remove(partition),
                member + " released " + partition + ", which it should keep");
        recalled.remove(partition);
        wanted.remove(partition);
    }

    private void granted(MemberId member, TopicPartition partition) {
        present(member);
        Holding holding = holders.put(partition, new Holding(member, generation));
        foulIf(holding != null, partition + " granted to " + member + " while " + holding + " has it");
        foulIf(
                !member.equals(targets.get(partition)),
                partition + " granted to " + member + ", it is not meant for it");
    }

    /** Checks the promises that hold after every decision. */
    void rest() {
        if (unsettled || waitedFor > 0) {
            return;
        }
        for (TopicPartition partition : wantedByAnyone()) {
            Holding holding = holders.get(partition);
            foulIf(holding == null, partition + " has no owner, and no release is awaited");
        }
    }

    /** True if the commit must be accepted. */
    boolean entitled(Command.Commit commit) {
        return members.containsKey(commit.member())
                && commit.offsets().keySet().stream().allMatch(partition -> {
                    Holding holding = holders.get(partition);
                    return holding != null
                            && holding.member().equals(commit.member())
                            && !recalled.contains(partition)
                            && holding.since() <= commit.generation()
                            && commit.generation() <= generation;
                });
    }

    private Set<TopicPartition> wantedByAnyone() {
        Set<TopicPartition> all = new TreeSet<>();
        topics.forEach((topic, shape) -> {
            for (int number = 0; number < shape.partitions() && !readers(topic).isEmpty(); number++) {
                all.add(new TopicPartition(topic, number));
            }
        });
        return all;
    }

    private Set<MemberId> readers(TopicName topic) {
        Set<MemberId> readers = new HashSet<>();
        members.forEach((id, spec) -> {
            boolean matches = spec.subscription().pattern().isPresent()
                    && Pattern.matches(spec.subscription().pattern().get(), topic.value());
            if (matches || spec.subscription().topics().contains(topic)) {
                readers.add(id);
            }
        });
        return readers;
    }

    /** Checks that the state of the group equals the referee's. */
    void compare(Group group) {
        Map<TopicPartition, Holding> owners = new HashMap<>();
        group.owners().forEach((partition, owner) -> owners.put(partition, new Holding(owner.member(), owner.since())));
        foulIf(!owners.equals(holders), "owners are " + owners + ", should be " + holders);
        Map<TopicPartition, Long> committed = new HashMap<>();
        group.offsets()
                .forEach((partition, commit) ->
                        committed.put(partition, commit.offset().offset()));
        foulIf(!committed.equals(offsets), "offsets are " + committed + ", should be " + offsets);
        foulIf(group.generation() != generation, "generation is " + group.generation());
        foulIf(
                !group.members().keySet().equals(members.keySet()),
                "members are " + group.members().keySet());
        foulIf(group.settling() != unsettled, "settling is " + group.settling());
        int forming = group.forming().map(it -> it.expectation().members()).orElse(0);
        foulIf(forming != waitedFor, "waits for " + forming + " members, should be " + waitedFor);
        foulIf(
                waitedFor > 0 && members.size() >= waitedFor,
                members.size() + " are there and are waited for: " + waitedFor);
        group.members().forEach((id, member) -> compare(id, member));
    }

    private void compare(MemberId id, Member member) {
        SortedSet<TopicPartition> owned = new TreeSet<>();
        SortedSet<TopicPartition> target = new TreeSet<>();
        holders.forEach((partition, holding) -> addIf(holding.member().equals(id), owned, partition));
        targets.forEach((partition, to) -> addIf(to.equals(id), target, partition));
        foulIf(!owned.equals(member.owned()), id + " owns " + member.owned() + ", should be " + owned);
        foulIf(!target.equals(member.target()), id + " should own " + member.target() + ", should be " + target);
        long since = owned.stream()
                .mapToLong(p -> wanted.getOrDefault(p, Long.MAX_VALUE))
                .min()
                .orElse(Long.MAX_VALUE);
        foulIf(
                since != member.revokingSince().orElse(Long.MAX_VALUE),
                id + " should let go since " + member.revokingSince() + ", should be " + since);
        foulIf(member.away().isPresent() != away.contains(id), id + " is away: " + member.away());
    }

    private static <T> void addIf(boolean condition, Set<T> set, T value) {
        if (condition) {
            set.add(value);
        }
    }

    private static <T> Set<T> union(Set<T> some, Set<T> others) {
        Set<T> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }

    private void present(MemberId member) {
        foulIf(!members.containsKey(member), member + " is not a member");
    }

    private static void foulIf(boolean foul, String text) {
        if (foul) {
            throw new Foul(text);
        }
    }
}
