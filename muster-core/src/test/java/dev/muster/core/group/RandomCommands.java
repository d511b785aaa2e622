package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.assign.Assignors;
import dev.muster.core.assign.RoundRobinAssignor;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.FormerMember;
import dev.muster.core.group.model.Forming;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.core.group.model.TopicShape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Random commands of the life of one group, all from one seed. Members of four processes join, leave, fall silent,
 * release partitions or do not, and commit correctly and incorrectly. Topics are created, grow, are deleted and are
 * created again. Late and void commands occur. This class only makes the commands; the test decides and checks them.
 */
public final class RandomCommands {
    public static final String RARE = "rare";

    public final Random random;
    public final SortedMap<TopicName, TopicShape> world = new TreeMap<>();
    private final List<MemberId> everybody = new ArrayList<>();
    private final List<GroupTimer> oldTimers = new ArrayList<>();
    private int names;

    public RandomCommands(long seed) {
        random = new Random(seed);
        changeWorld();
        changeWorld();
    }

    /** All processes have the usual assignors, some have one more. */
    public Map<String, Assignor> assignors() {
        if (random.nextInt(4) == 0) {
            return Assignors.BUILT_IN;
        }
        Map<String, Assignor> all = new HashMap<>(Assignors.BUILT_IN);
        all.put(RARE, new Rare());
        return all;
    }

    public static final class Rare implements Assignor {
        @Override
        public String name() {
            return RARE;
        }

        @Override
        public Assignment assign(Question question) {
            return new RoundRobinAssignor().assign(question);
        }
    }

    public Command next(Group group) {
        oldTimers.addAll(group.timers());
        return switch (random.nextInt(21)) {
            case 0, 1 -> group.members().size() < 8 ? join(group) : leave(group);
            case 2 -> leave(group);
            case 3, 4, 5 ->
                new Command.Settle(
                        random.nextInt(8) == 0
                                ? random.nextInt(50)
                                : group.pending().token());
            case 6, 7, 8, 9 -> release(group);
            case 10 -> new Command.HostDied(host());
            case 11 -> expire();
            case 12 -> silence(group);
            case 13 -> {
                if (random.nextBoolean()) {
                    changeWorld();
                }
                yield new Command.TopicsSeen(seen(group));
            }
            case 14 -> subscribe(group);
            case 15 -> byHand(group);
            case 16 -> forming(group);
            default -> commit(group);
        };
    }

    /** A member falls silent, or sends a request although it was expelled. */
    private Command silence(Group group) {
        Optional<MemberSpec> remote = group.members().values().stream()
                .map(Member::spec)
                .filter(MemberSpec::remote)
                .findFirst();
        Optional<MemberId> missing = group.builder().formerMembers.reversed().stream()
                .map(FormerMember::id)
                .filter(group::isMissing)
                .findFirst();
        return switch (random.nextInt(4)) {
            case 0 -> new Command.SessionExpired(anyMember(group), host(), LeaveCause.SESSION_EXPIRED);
            case 1 ->
                remote.<Command>map(
                                spec -> new Command.SessionExpired(spec.id(), spec.host(), LeaveCause.CONNECTION_LOST))
                        .orElseGet(() -> release(group));
            default -> new Command.ReportFalseAlarm(missing.orElseGet(() -> anyMember(group)));
        };
    }

    private Command join(Group group) {
        List<Member> away = group.members().values().stream()
                .filter(m -> m.away().isPresent())
                .toList();
        if (!away.isEmpty() && random.nextInt(3) > 0) {
            MemberSpec gone = away.get(random.nextInt(away.size())).spec();
            Subscription subscription = random.nextInt(4) == 0 ? subscription() : gone.subscription();
            MemberId id = gone.instance().isPresent() ? newId() : gone.id();
            return new Command.Join(
                    new MemberSpec(
                            id,
                            gone.instance(),
                            "back",
                            host(),
                            gone.address(),
                            subscription,
                            gone.timing(),
                            gone.assignor()),
                    seen(subscription));
        }
        Optional<String> instance = random.nextInt(3) == 0 ? Optional.of("i" + random.nextInt(4)) : Optional.empty();
        Subscription subscription = subscription();
        String assignor = List.of("sticky", "sticky", "sticky", "range", "roundrobin", RARE)
                .get(random.nextInt(6));
        return new Command.Join(
                new MemberSpec(
                        newId(),
                        instance,
                        "",
                        host(),
                        random.nextInt(5) == 0 ? Optional.of("10.0.0.7") : Optional.empty(),
                        subscription,
                        new Timing(Duration.ofMillis(1 + random.nextInt(9_999)), Duration.ofSeconds(7)),
                        assignor),
                seen(subscription),
                random.nextInt(4) == 0 ? Optional.of(expectation()) : Optional.empty());
    }

    private Expectation expectation() {
        return new Expectation(1 + random.nextInt(4), Duration.ofSeconds(1 + random.nextInt(3)));
    }

    /** Sets the expected number of members, or ends the wait. */
    private Command forming(Group group) {
        return switch (random.nextInt(4)) {
            case 0 -> new Command.Expect(random.nextInt(3) == 0 ? Optional.empty() : Optional.of(expectation()));
            case 1 -> new Command.Complete("somebody");
            default ->
                new Command.FormingOver(
                        random.nextInt(4) == 0
                                ? random.nextInt(50)
                                : group.forming().map(Forming::token).orElse(0L));
        };
    }

    private Command leave(Group group) {
        List<LeaveCause> causes = List.of(LeaveCause.values());
        LeaveCause cause = causes.get(random.nextInt(causes.size()));
        return new Command.Leave(anyMember(group), cause, random.nextBoolean());
    }

    private Command release(Group group) {
        MemberId member = anyMember(group);
        SortedSet<TopicPartition> some = new TreeSet<>();
        Member present = group.members().get(member);
        if (present != null) {
            present.toRelease().forEach(partition -> addSometimes(some, partition, 4));
        }
        if (random.nextInt(5) == 0) {
            some.add(partition());
        }
        return new Command.Release(member, some);
    }

    private void addSometimes(SortedSet<TopicPartition> some, TopicPartition partition, int oftenness) {
        if (random.nextInt(oftenness) > 0) {
            some.add(partition);
        }
    }

    private Command expire() {
        List<GroupTimer.OfMember> timers = oldTimers.stream()
                .filter(GroupTimer.OfMember.class::isInstance)
                .map(GroupTimer.OfMember.class::cast)
                .toList();
        // Mostly a timer that a recent state asked for, sometimes one that is long void.
        return timers.isEmpty()
                ? new Command.HostDied(host())
                : new Command.Expire(
                        timers.get(random.nextBoolean() ? timers.size() - 1 : random.nextInt(timers.size())));
    }

    private Command subscribe(Group group) {
        Subscription subscription = subscription();
        return new Command.Subscribe(anyMember(group), subscription, seen(subscription));
    }

    private Command byHand(Group group) {
        if (world.isEmpty()) {
            return new Command.TopicsSeen(seen(group));
        }
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(partition(), new CommittedOffset(random.nextInt(100)));
        return switch (random.nextInt(5)) {
            case 0 -> new Command.Reset(offsets, world);
            case 2, 3 -> new Command.Rewind(offsets, world, "somebody", random.nextBoolean() ? "" : "of a mistake");
            case 1 ->
                new Command.Forget(
                        group.offsets().isEmpty()
                                ? offsets.keySet()
                                : Set.of(group.offsets().firstKey()));
            // A deleted group makes no more events, so only groups with members are asked to be deleted.
            default -> group.members().isEmpty() ? new Command.TopicsSeen(seen(group)) : new Command.Delete();
        };
    }

    private Command commit(Group group) {
        MemberId member = anyMember(group);
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        Member present = group.members().get(member);
        if (present != null) {
            present.owned().forEach(partition -> {
                if (random.nextInt(3) > 0) {
                    offsets.put(partition, offset());
                }
            });
        }
        if (random.nextInt(4) == 0) {
            offsets.put(partition(), offset());
        }
        return new Command.Commit(member, group.generation() + 1 - random.nextInt(4), offsets);
    }

    private CommittedOffset offset() {
        return new CommittedOffset(
                random.nextInt(1_000), random.nextInt(3) - 1, random.nextInt(4) == 0 ? "\"m\"\n\u0001é" : "");
    }

    /** Changes the topics that exist. */
    public void changeWorld() {
        TopicName topic = new TopicName(List.of("alpha", "beta", "gamma").get(random.nextInt(3)));
        TopicShape shape = world.get(topic);
        if (shape == null || random.nextInt(6) == 0) {
            TopicId id = new TopicId(new UUID(random.nextLong(), random.nextLong()));
            world.put(topic, new TopicShape(id, 1 + random.nextInt(6)));
        } else if (random.nextInt(4) == 0) {
            world.remove(topic);
        } else {
            world.put(topic, new TopicShape(shape.id(), shape.partitions() + 1 + random.nextInt(2)));
        }
    }

    public SortedMap<TopicName, TopicShape> seen(Group group) {
        SortedMap<TopicName, TopicShape> seen = new TreeMap<>(world);
        seen.keySet()
                .removeIf(topic -> group.members().values().stream()
                        .noneMatch(member -> member.spec().subscription().includes(topic)));
        return seen;
    }

    private SortedMap<TopicName, TopicShape> seen(Subscription subscription) {
        SortedMap<TopicName, TopicShape> seen = new TreeMap<>(world);
        seen.keySet().removeIf(topic -> !subscription.includes(topic));
        return seen;
    }

    private Subscription subscription() {
        return switch (random.nextInt(6)) {
            case 0 -> new Subscription(new TreeSet<>(), Optional.of("(alp|gam).*"));
            case 1 -> GroupFixture.subscription("alpha");
            case 2 -> GroupFixture.subscription("beta", "gamma");
            default -> GroupFixture.subscription("alpha", "beta");
        };
    }

    /** Mostly a present member, sometimes a former one. */
    private MemberId anyMember(Group group) {
        if (everybody.isEmpty() || random.nextInt(30) == 0) {
            return new MemberId("stranger");
        }
        if (group.members().isEmpty() || random.nextInt(8) == 0) {
            return everybody.get(random.nextInt(everybody.size()));
        }
        List<MemberId> present = new ArrayList<>(group.members().keySet());
        return present.get(random.nextInt(present.size()));
    }

    private MemberId newId() {
        MemberId id = new MemberId("m" + names++);
        everybody.add(id);
        return id;
    }

    private HostId host() {
        return new HostId("h" + random.nextInt(4));
    }

    private TopicPartition partition() {
        List<TopicName> topics = new ArrayList<>(world.keySet());
        TopicName topic = topics.isEmpty() ? new TopicName("none") : topics.get(random.nextInt(topics.size()));
        int count = topics.isEmpty() ? 1 : world.get(topic).partitions();
        return new TopicPartition(topic, random.nextInt(count));
    }
}
