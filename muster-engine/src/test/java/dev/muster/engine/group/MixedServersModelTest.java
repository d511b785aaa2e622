package dev.muster.engine.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.GroupName;
import dev.muster.core.group.MemberId;
import dev.muster.core.group.classic.ClassicState;
import dev.muster.engine.group.SimulatedWorld.SimulatedProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Clients of both protocols in one group, which becomes modern and classic again as they come and go, while connections
 * break and servers are killed: at no moment do two members work one partition, generations never fall, and in the end
 * everybody works.
 */
class MixedServersModelTest {
    private static final int RUNS = Integer.getInteger("muster.rounds", 30);
    private static final int STEPS = 3_000;
    private static final int PARTITIONS = 4;
    private static final String GROUP = "billing";

    @Test
    void noPartitionIsWorkedByTwoWhateverTheRulesAre() {
        long first = Long.getLong("muster.seed", 1);
        System.out.println("mixed servers: seeds " + first + " to " + (first + RUNS - 1));
        int conversions = 0;
        for (long seed = first; seed < first + RUNS; seed++) {
            try (Run run = new Run(seed)) {
                run.live();
                conversions += run.conversions;
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + " (-Dmuster.seed=" + seed + " -Dmuster.rounds=1)", e);
            }
        }
        System.out.println("mixed servers: the rules changed " + conversions + " times");
        assertThat(conversions).as("it was worth while").isGreaterThan(RUNS);
    }

    private static final class Run implements AutoCloseable {
        private final Random random;
        private final boolean cooperative;
        private final SimulatedWorld world = new SimulatedWorld();
        private final SimulatedProcess bystander = world.process();
        private final List<RemoteConsumer> modern = new ArrayList<>();
        private final List<WireConsumer> classic = new ArrayList<>();
        private SimulatedProcess process;
        private ClassicGroups classicServer;
        private RemoteGroups modernServer;
        private long connections = 1_000;
        private int names;
        private long generation;
        private boolean wasModern;
        int conversions;

        Run(long seed) {
            random = new Random(seed);
            cooperative = seed % 2 == 0;
            world.topic("orders", PARTITIONS);
            startServer();
        }

        private void startServer() {
            process = world.process();
            classicServer = new ClassicGroups(process.groups, ClassicConfig.DEFAULT);
            classicServer.adoptOrphans();
            modernServer = new RemoteGroups(process.groups, RemoteConfig.DEFAULT);
        }

        void live() {
            for (int step = 0; step < STEPS; step++) {
                disturb();
                step();
            }
            for (int step = 0; step < 30_000 && !done(); step++) {
                step();
            }
            assertThat(done())
                    .as(
                            "everybody works: %s, %d modern, %d classic, cooperative: %s, %s",
                            group(), modern.size(), classic.size(), cooperative, group().members())
                    .isTrue();
        }

        private void step() {
            modern.forEach(one -> one.step(GROUP, world.now()));
            classic.forEach(one -> one.step(world.now()));
            judge();
            world.pass(Duration.ofMillis(1 + random.nextInt(20)));
            judge();
        }

        private void disturb() {
            switch (random.nextInt(200)) {
                case 0, 1 -> {
                    if (modern.size() < 2) {
                        modern.add(new RemoteConsumer(modernServer, "m" + ++names, ++connections, Optional.empty()));
                    }
                }
                case 2, 3 -> {
                    if (classic.size() < 2) {
                        WireConsumer one = new WireConsumer(classicServer, GROUP, "c" + ++names, Optional.empty());
                        one.heartbeat = Duration.ofMillis(50 + random.nextInt(200));
                        one.effort = Duration.ofMillis(random.nextInt(200));
                        classic.add(cooperative ? one.cooperative() : one);
                    }
                }
                case 4 -> {
                    if (!modern.isEmpty()) {
                        modernServer.hungUp(modern.remove(random.nextInt(modern.size())).connection);
                    }
                }
                case 5, 6 -> {
                    if (!modern.isEmpty()) {
                        modern.remove(random.nextInt(modern.size())).leave(GROUP, RemoteBeat.LEAVE);
                    }
                }
                case 7 -> {
                    if (!classic.isEmpty()) {
                        WireConsumer gone = classic.remove(random.nextInt(classic.size()));
                        if (!gone.id.isEmpty()) {
                            gone.leave();
                        }
                    }
                }
                case 8 -> {
                    if (!classic.isEmpty()) {
                        classic.remove(random.nextInt(classic.size()));
                    }
                }
                case 9, 10 -> classic.forEach(one -> one.connect(classicServer));
                case 11 -> modern.forEach(one -> one.reconnect(modernServer, ++connections));
                case 12 -> {
                    if (random.nextInt(3) == 0) {
                        process.kill();
                        startServer();
                        classic.forEach(one -> one.connect(classicServer));
                        modern.forEach(one -> one.reconnect(modernServer, ++connections));
                    }
                }
                default -> {}
            }
        }

        private Group group() {
            return bystander.groups.open(new GroupName(GROUP)).newest().group();
        }

        private void judge() {
            Group group = group();
            Map<TopicPartition, MemberId> workers = new HashMap<>();
            for (RemoteConsumer one : modern) {
                // One that is out and has not heard of it yet works on, and can commit nothing.
                if (one.epoch > 0 && group.members().containsKey(one.id)) {
                    judge(workers, one.id, one.works());
                }
            }
            for (WireConsumer one : classic) {
                if (!one.id.isEmpty() && isMember(group, new MemberId(one.id))) {
                    judge(workers, new MemberId(one.id), one.works);
                }
            }
            assertThat(group.generation()).isGreaterThanOrEqualTo(generation);
            generation = group.generation();
            boolean isModern = !group.members().isEmpty();
            boolean isClassic = group.classic().inUse();
            assertThat(isModern && isClassic).as("two sets of rules").isFalse();
            if (isModern != wasModern && (isModern || isClassic)) {
                conversions++;
                wasModern = isModern;
            }
        }

        private static boolean isMember(Group group, MemberId id) {
            return group.members().containsKey(id) || group.classic().member(id).isPresent();
        }

        private static void judge(
                Map<TopicPartition, MemberId> workers, MemberId member, Collection<TopicPartition> works) {
            for (TopicPartition partition : works) {
                assertThat(workers.put(partition, member))
                        .as("%s is worked by %s too", partition, member)
                        .isNull();
            }
        }

        private boolean done() {
            Group group = group();
            int all = modern.size() + classic.size();
            int works = modern.stream().mapToInt(one -> one.works().size()).sum()
                    + classic.stream().mapToInt(one -> one.works.size()).sum();
            boolean settled = group.members().isEmpty()
                    ? group.classic().members().size() == all
                            && (all == 0 || group.classic().state() == ClassicState.STABLE)
                    : group.quiet() && group.members().size() == all;
            return settled
                    && works == (all == 0 ? 0 : PARTITIONS)
                    && modern.stream().allMatch(RemoteConsumer::settled)
                    && classic.stream().allMatch(WireConsumer::stable);
        }

        @Override
        public void close() {
            world.close();
        }
    }
}
