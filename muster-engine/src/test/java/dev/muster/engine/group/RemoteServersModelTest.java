package dev.muster.engine.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.GroupName;
import dev.muster.core.group.Member;
import dev.muster.core.group.MemberId;
import dev.muster.core.group.Told;
import dev.muster.engine.group.SimulatedWorld.SimulatedProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Remote members while answers are lost, connections break, clients are slow or die, and servers are killed and
 * followed by others: at no moment do two members work one partition, epochs never fall, and in the end everybody
 * works.
 */
class RemoteServersModelTest {
    private static final int RUNS = Integer.getInteger("muster.rounds", 40);
    private static final int STEPS = 1_500;
    private static final int PARTITIONS = 6;
    private static final String GROUP = "billing";

    @Test
    void noPartitionIsWorkedByTwoWhateverHappens() {
        long first = Long.getLong("muster.seed", 1);
        System.out.println("remote servers: seeds " + first + " to " + (first + RUNS - 1));
        for (long seed = first; seed < first + RUNS; seed++) {
            try (Run run = new Run(seed)) {
                run.live();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + " (-Dmuster.seed=" + seed + " -Dmuster.rounds=1)", e);
            }
        }
    }

    private static final class Run implements AutoCloseable {
        private final Random random;
        private final SimulatedWorld world = new SimulatedWorld();
        private final SimulatedProcess bystander = world.process();
        private final List<RemoteConsumer> consumers = new ArrayList<>();
        private final Map<MemberId, Long> epochs = new HashMap<>();
        private SimulatedProcess process;
        private RemoteGroups server;
        private long connections;
        private int names;

        Run(long seed) {
            random = new Random(seed);
            world.topic("orders", PARTITIONS);
            startServer();
        }

        private void startServer() {
            process = world.process();
            new ClassicGroups(process.groups, ClassicConfig.DEFAULT).adoptOrphans();
            server = new RemoteGroups(process.groups, RemoteConfig.DEFAULT);
        }

        void live() {
            for (int step = 0; step < STEPS; step++) {
                disturb();
                step();
            }
            for (int step = 0; step < 30_000 && !done(); step++) {
                step();
            }
            assertThat(done()).as("everybody works: %s", group()).isTrue();
        }

        private void step() {
            for (RemoteConsumer consumer : consumers) {
                consumer.step(GROUP, world.now());
            }
            judge();
            world.pass(Duration.ofMillis(1 + random.nextInt(20)));
            judge();
        }

        private void disturb() {
            switch (random.nextInt(60)) {
                case 0, 1 -> {
                    if (consumers.size() < 5) {
                        RemoteConsumer one = new RemoteConsumer(server, "m" + ++names, ++connections, Optional.empty());
                        consumers.add(one);
                    }
                }
                case 2 -> {
                    if (consumers.size() > 1) {
                        RemoteConsumer gone = consumers.remove(random.nextInt(consumers.size()));
                        server.hungUp(gone.connection);
                    }
                }
                case 3 -> {
                    if (consumers.size() > 1) {
                        consumers.remove(random.nextInt(consumers.size())).leave(GROUP, RemoteBeat.LEAVE);
                    }
                }
                case 4, 5, 6 ->
                    somebody().ifPresent(one -> {
                        server.hungUp(one.connection);
                        one.reconnect(server, ++connections);
                    });
                case 7, 8 -> somebody().ifPresent(one -> one.effort = Duration.ofMillis(random.nextInt(400)));
                case 9 -> {
                    if (random.nextInt(4) == 0) {
                        process.kill();
                        startServer();
                        consumers.forEach(one -> one.reconnect(server, ++connections));
                    }
                }
                default -> {}
            }
        }

        private Optional<RemoteConsumer> somebody() {
            return consumers.isEmpty()
                    ? Optional.empty()
                    : Optional.of(consumers.get(random.nextInt(consumers.size())));
        }

        private Group group() {
            return bystander.groups.open(new GroupName(GROUP)).newest().group();
        }

        private void judge() {
            Group group = group();
            Map<TopicPartition, MemberId> workers = new HashMap<>();
            for (RemoteConsumer consumer : consumers) {
                // One that is out and has not heard of it yet works on, and can commit nothing.
                if (consumer.epoch > 0 && group.members().containsKey(consumer.id)) {
                    for (TopicPartition partition : consumer.works()) {
                        MemberId other = workers.put(partition, consumer.id);
                        assertThat(other)
                                .as("%s is worked by %s too", partition, consumer.id)
                                .isNull();
                    }
                }
            }
            for (Member member : group.members().values()) {
                Told told = group.told(member.spec().id()).orElseThrow();
                long before = epochs.getOrDefault(member.spec().id(), 0L);
                assertThat(told.epoch())
                        .as("what %s is told", member.spec().id())
                        .isGreaterThanOrEqualTo(before);
                epochs.put(member.spec().id(), told.epoch());
            }
        }

        private boolean done() {
            Group group = group();
            return group.quiet()
                    && group.members().size() == consumers.size()
                    && consumers.stream().allMatch(RemoteConsumer::settled)
                    && consumers.stream().mapToInt(one -> one.works().size()).sum() == PARTITIONS;
        }

        @Override
        public void close() {
            world.close();
        }
    }
}
