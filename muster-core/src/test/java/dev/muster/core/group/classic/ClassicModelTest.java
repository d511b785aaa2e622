package dev.muster.core.group.classic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicCommand.Caller;
import dev.muster.core.group.classic.ClassicCommand.Leaver;
import dev.muster.core.group.explain.Explanation;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Protocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Random lives of classic groups, each from one seed. Members of three servers join, sync, send heartbeats, commit,
 * leave and fall silent, correctly and incorrectly. Timers expire early or late, and servers die. To repeat a failure,
 * call {@link #live} with the seed that it names.
 */
class ClassicModelTest {
    private static final int LIVES = Boolean.getBoolean("muster.soak") ? 20_000 : 200;
    private static final int STEPS = 150;

    /**
     * The number of times that each event and each answer occurred. A test that never meets a refusal proves nothing
     * about it.
     */
    private final Map<String, Integer> seen = new TreeMap<>();

    private Random random;
    private ClassicGroupFixture fixture;
    private List<ClassicTimer> timers;
    private Set<MemberId> everybody;
    private Map<MemberId, Long> answered;
    private int names;

    @Test
    void inRandomLivesEveryJoinIsAnsweredOnce() {
        long first = System.nanoTime();
        System.out.println("lives of classic groups: seeds from " + first);
        for (long seed = first; seed < first + LIVES; seed++) {
            try {
                live(seed);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        System.out.println("lives of classic groups: " + LIVES + " of " + STEPS + " steps: " + seen);
        assertThat(seen)
                .as("what the lives met")
                .containsKeys(
                        "IdGiven",
                        "IdDropped",
                        "Rejoined",
                        "Replaced",
                        "RebalanceBegan",
                        "RebalanceExtended",
                        "GenerationFormed",
                        "Synced",
                        "Left",
                        "Away",
                        "Adopted",
                        "Committed",
                        "JoinParked",
                        "SyncParked",
                        "Joined",
                        "Assigned",
                        "UnknownMember",
                        "FencedInstance",
                        "IllegalGeneration",
                        "RebalanceInProgress",
                        "InconsistentProtocol",
                        "MemberIdRequired",
                        "GroupFull");
    }

    private void live(long seed) {
        random = new Random(seed);
        fixture = new ClassicGroupFixture();
        timers = new ArrayList<>();
        everybody = new HashSet<>();
        answered = new HashMap<>();
        names = 0;
        for (int step = 0; step < STEPS; step++) {
            timers.addAll(fixture.group.classic().timers());
            ask(next());
            readBack();
        }
        Group replayed = Group.empty();
        for (String line : fixture.journal) {
            replayed = GroupJson.replay(replayed, line);
        }
        same(replayed, fixture.group);
        heal();
    }

    private void ask(ClassicCommand command) {
        Group before = fixture.group;
        Set<MemberId> waited = new HashSet<>(fixture.joins.keySet());
        ClassicGroupFixture.Outcome outcome = fixture.ask(command);
        outcome.events().forEach(event -> count(event.getClass().getSimpleName()));
        count(outcome.reply().getClass().getSimpleName());
        judgeEvents(before, outcome);
        for (ClassicGroupFixture.Late late : outcome.late()) {
            count(late.answer().getClass().getSimpleName());
            if (late.answer() instanceof ClassicReply.Joined joined) {
                judgeJoined(joined, waited, outcome.reply());
            }
        }
        if (command instanceof ClassicCommand.Expire expire
                && !before.classic().timers().contains(expire.timer())) {
            assertThat(outcome.events())
                    .as("the state does not ask for " + expire)
                    .isEmpty();
        }
        judgeState();
    }

    private static void judgeEvents(Group before, ClassicGroupFixture.Outcome outcome) {
        long generation = before.generation();
        for (ClassicEvent event : outcome.events()) {
            if (event instanceof ClassicEvent.GenerationFormed formed) {
                assertThat(formed.generation()).isEqualTo(generation + 1);
                assertThat(formed.cause()).isNotBlank();
                generation++;
            }
        }
        boolean changes = outcome.reply() instanceof ClassicReply.MemberIdRequired
                || outcome.reply() instanceof ClassicReply.GroupFull
                || outcome.reply() instanceof ClassicReply.RebalanceInProgress;
        if (outcome.reply() instanceof ClassicReply.Refusal refusal) {
            assertThat(refusal.text()).isNotBlank();
            assertThat(changes || outcome.events().isEmpty())
                    .as("a refusal changes nothing")
                    .isTrue();
        }
    }

    /**
     * A waiting join must be answered with a generation that the member has not received before, and a leader with the
     * list of all members.
     */
    private void judgeJoined(ClassicReply.Joined joined, Set<MemberId> waited, ClassicReply reply) {
        boolean justNow = reply instanceof ClassicReply.JoinParked parked
                && parked.member().equals(joined.member());
        assertThat(waited.contains(joined.member()) || justNow).isTrue();
        assertThat(answered.getOrDefault(joined.member(), -1L)).isLessThan(joined.generation());
        answered.put(joined.member(), joined.generation());
        boolean leads = joined.leader().equals(joined.member());
        Set<MemberId> fellows = new HashSet<>();
        joined.members().forEach(fellow -> fellows.add(fellow.member()));
        assertThat(fellows).isEqualTo(leads ? fixture.group.classic().members().keySet() : Set.of());
        assertThat(joined.protocol()).isNotEmpty();
    }

    private void judgeState() {
        ClassicGroup group = fixture.group.classic();
        assertThat(group.leader().isPresent()).isEqualTo(!group.members().isEmpty());
        group.leader().ifPresent(leader -> assertThat(group.members()).containsKey(leader));
        assertThat(Collections.disjoint(
                        group.members().keySet(), group.pendingIds().keySet()))
                .isTrue();
        Set<String> instances = new HashSet<>();
        group.members().forEach((id, member) -> {
            member.spec()
                    .instance()
                    .ifPresent(instance -> assertThat(instances.add(instance)).isTrue());
            assertThat(member.waiting() && group.state() != ClassicState.PREPARING_REBALANCE)
                    .as("it does not wait at a barrier")
                    .isFalse();
            assertThat(fixture.joins.containsKey(id))
                    .as("every waiting member is recorded")
                    .isEqualTo(member.waiting());
        });
        if (group.state() == ClassicState.EMPTY) {
            assertThat(group.members()).isEmpty();
            assertThat(fixture.joins).isEmpty();
            assertThat(fixture.syncs).isEmpty();
        }
        if (group.state() == ClassicState.STABLE) {
            assertThat(fixture.syncs).isEmpty();
        }
        fixture.group.owners().forEach((partition, owner) -> {
            assertThat(group.members()).containsKey(owner.member());
            assertThat(Explanation.of(fixture.group, partition).text()).isNotBlank();
        });
        Explanation.of(fixture.group, ClassicGroupFixture.orders(1));
    }

    private void readBack() {
        if (random.nextInt(10) == 0) {
            String snapshot = GroupJson.snapshot(fixture.group, 1, ClassicGroupFixture.HOST);
            Group read = GroupJson.replay(Group.empty(), snapshot);
            same(read, fixture.group);
            assertThat(GroupJson.snapshot(read, 1, ClassicGroupFixture.HOST)).isEqualTo(snapshot);
            fixture.group = read;
        }
    }

    private static void same(Group read, Group written) {
        assertThat(read).isEqualTo(written);
        assertThat(List.copyOf(read.classic().members().keySet()))
                .as("the order of joining")
                .isEqualTo(List.copyOf(written.classic().members().keySet()));
    }

    /** No member sends anything any more: timers and sessions alone must bring the group to rest. */
    private void heal() {
        for (int round = 0; round < 20 && fixture.group.classic().inUse(); round++) {
            for (ClassicTimer timer : fixture.group.classic().timers()) {
                ask(new ClassicCommand.Expire(timer));
            }
            for (ClassicMember member :
                    List.copyOf(fixture.group.classic().members().values())) {
                if (!fixture.joins.containsKey(member.spec().id())
                        && !fixture.syncs.containsKey(member.spec().id())) {
                    silent(member.spec().id());
                }
            }
        }
        ClassicGroup group = fixture.group.classic();
        group.timers().forEach(timer -> ask(new ClassicCommand.Expire(timer)));
        assertThat(fixture.group.classic().state()).isEqualTo(ClassicState.EMPTY);
        assertThat(fixture.group.classic().timers()).as("no timer is needed").isEmpty();
        assertThat(fixture.joins).as("no request waits").isEmpty();
        assertThat(fixture.syncs).as("no request waits").isEmpty();
        assertThat(fixture.group.owners()).isEmpty();
    }

    private void silent(MemberId id) {
        fixture.group
                .classic()
                .member(id)
                .ifPresent(member ->
                        ask(new ClassicCommand.SessionExpired(id, member.spec().host(), LeaveCause.SESSION_EXPIRED)));
    }

    // Commands

    private ClassicCommand next() {
        return switch (random.nextInt(16)) {
            case 0, 1, 2, 3, 4 -> join();
            case 5, 6, 7 -> sync();
            case 8 -> new ClassicCommand.Heartbeat(caller());
            case 9 -> commit();
            case 10 -> leave();
            case 11, 12, 13 -> expire();
            case 14 -> new ClassicCommand.SessionExpired(anyMember(), host(), LeaveCause.SESSION_EXPIRED);
            default ->
                random.nextBoolean()
                        ? new ClassicCommand.HostDied(host())
                        : new ClassicCommand.Adopt(host(), Set.of(host()));
        };
    }

    private ClassicCommand join() {
        ClassicGroup group = fixture.group.classic();
        List<MemberId> ids = new ArrayList<>(group.pendingIds().keySet());
        Optional<MemberId> member = switch (random.nextInt(4)) {
            case 0 -> Optional.empty();
            case 1 -> ids.isEmpty() ? Optional.empty() : Optional.of(ids.get(random.nextInt(ids.size())));
            default -> Optional.of(anyMember());
        };
        Optional<String> instance = member.flatMap(group::member)
                .map(known -> known.spec().instance())
                .orElse(
                        member.isEmpty() && random.nextInt(3) == 0
                                ? Optional.of("i" + random.nextInt(3))
                                : Optional.empty());
        List<Protocol> protocols = new ArrayList<>();
        for (String name : List.of("range", "sticky", "rr")) {
            if (random.nextInt(4) > 0) {
                protocols.add(new Protocol(name, ClassicGroupFixture.bytes(name + random.nextInt(2))));
            }
        }
        Collections.shuffle(protocols, random);
        MemberId fresh = new MemberId("m" + names++);
        everybody.add(fresh);
        ClassicSpec spec = new ClassicSpec(
                member.orElse(fresh),
                instance,
                "client",
                "/127.0.0.1",
                host(),
                Duration.ofSeconds(10 + random.nextInt(3)),
                Duration.ofSeconds(20 + random.nextInt(3)),
                random.nextInt(20) == 0 ? "connect" : ClassicGroup.CONSUMER,
                protocols,
                random.nextBoolean()
                        ? Optional.empty()
                        : Optional.of(
                                new ConsumerMetadata(new TreeSet<>(Set.of(new TopicName("orders"))), new TreeSet<>())));
        Duration settle = random.nextInt(4) == 0 ? Duration.ZERO : Duration.ofSeconds(3);
        return new ClassicCommand.Join(
                member,
                spec,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean() ? "" : "why \"not\"",
                new ClassicCommand.Limits(random.nextInt(10) == 0 ? 3 : 8, Duration.ofMillis(50), settle));
    }

    private ClassicCommand sync() {
        Map<MemberId, Opaque> assignment = new HashMap<>();
        Map<MemberId, SortedSet<TopicPartition>> partitions = new HashMap<>();
        int partition = 0;
        for (MemberId member : fixture.group.classic().members().keySet()) {
            assignment.put(member, ClassicGroupFixture.bytes("to " + member));
            if (random.nextInt(4) > 0 && partition < 4) {
                partitions.put(member, new TreeSet<>(Set.of(ClassicGroupFixture.orders(partition++))));
            }
        }
        Optional<String> protocol = random.nextInt(8) == 0 ? Optional.of("range") : Optional.empty();
        return new ClassicCommand.Sync(
                caller(),
                new ClassicCommand.SyncContent(
                        Optional.empty(), protocol, assignment, partitions, random.nextBoolean()));
    }

    private ClassicCommand commit() {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(ClassicGroupFixture.orders(random.nextInt(4)), new CommittedOffset(random.nextInt(100), 1, "m"));
        return new ClassicCommand.Commit(random.nextInt(4) == 0 ? Optional.empty() : Optional.of(caller()), offsets);
    }

    private ClassicCommand leave() {
        List<Leaver> leavers = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(2); i++) {
            boolean byName = random.nextInt(4) == 0;
            leavers.add(new Leaver(
                    byName ? Optional.empty() : Optional.of(anyMember()),
                    byName ? Optional.of("i" + random.nextInt(3)) : Optional.empty(),
                    random.nextBoolean() ? "" : "done"));
        }
        return new ClassicCommand.Leave(leavers);
    }

    /** Mostly a timer that a recent state asked for, sometimes one that is long void. */
    private ClassicCommand expire() {
        if (timers.isEmpty()) {
            return join();
        }
        int last = timers.size() - 1;
        return new ClassicCommand.Expire(timers.get(random.nextBoolean() ? last : random.nextInt(last + 1)));
    }

    private Caller caller() {
        MemberId member = anyMember();
        Optional<String> instance = fixture.group
                .classic()
                .member(member)
                .flatMap(known -> known.spec().instance());
        if (random.nextInt(15) == 0) {
            instance = Optional.of("i" + random.nextInt(3));
        }
        long generation = fixture.group.generation() - (random.nextInt(8) == 0 ? 1 : 0);
        return new Caller(member, instance, generation, host());
    }

    /** Mostly a present member, sometimes a former one. */
    private MemberId anyMember() {
        List<MemberId> present =
                new ArrayList<>(fixture.group.classic().members().keySet());
        if (present.isEmpty() || random.nextInt(10) == 0) {
            List<MemberId> all = new ArrayList<>(new TreeSet<>(everybody));
            return all.isEmpty() ? new MemberId("stranger") : all.get(random.nextInt(all.size()));
        }
        return present.get(random.nextInt(present.size()));
    }

    private HostId host() {
        return new HostId("h" + (1 + random.nextInt(3)));
    }

    private void count(String what) {
        seen.merge(what, 1, Integer::sum);
    }
}
