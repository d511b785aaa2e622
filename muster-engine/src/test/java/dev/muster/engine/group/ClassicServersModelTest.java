package dev.muster.engine.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.classic.ClassicState;
import dev.muster.core.group.model.GroupName;
import dev.muster.engine.group.SimulatedWorld.SimulatedProcess;
import dev.muster.engine.group.remote.ClassicProtocol;
import dev.muster.engine.group.session.ClassicConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random runs of two servers and their consumers in simulated time, each from one seed. Servers are killed, replaced,
 * suspended and resumed. Consumers join, leave, restart, fall silent and lose their connections. To repeat a failure,
 * call {@link #live} with its seed.
 */
class ClassicServersModelTest {
    private static final int LIVES = Boolean.getBoolean("muster.soak") ? 2_000 : Integer.getInteger("muster.lives", 10);
    private static final int STEPS = 60;
    private static final String GROUP = "billing";

    private Random random;
    private SimulatedWorld world;
    private List<Server> servers;
    private List<WireConsumer> consumers;
    private Set<ClassicProtocol> unreachable;
    private int names;
    private int generations;

    private record Server(SimulatedProcess process, ClassicProtocol groups) {}

    @Test
    void afterRandomFailuresAllConsumersShareOneGeneration() {
        long first = System.nanoTime();
        System.out.println("lives of classic servers: seeds from " + first);
        for (long seed = first; seed < first + LIVES; seed++) {
            try (SimulatedWorld one = new SimulatedWorld()) {
                world = one;
                live(seed);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        System.out.println("lives of classic servers: " + LIVES + ", generations " + generations);
        assertThat(generations).isGreaterThan(LIVES);
    }

    private void live(long seed) {
        random = new Random(seed);
        world.topic("orders", 4);
        servers = new ArrayList<>(List.of(start(), start()));
        consumers = new ArrayList<>();
        unreachable = new HashSet<>();
        names = 0;
        come();
        for (int step = 0; step < STEPS; step++) {
            something();
            pass(Duration.ofMillis(random.nextInt(3_000)));
        }
        if (consumers.isEmpty()) {
            come();
        }
        Duration calm = Duration.ofSeconds(90);
        pass(calm);
        assertThat(consumers).as("all are in, %s", group()).allMatch(WireConsumer::stable);
        assertThat(consumers).extracting(consumer -> consumer.generation).containsOnly(group().generation());
        assertThat(consumers).extracting(consumer -> consumer.assignment).doesNotHaveDuplicates();
        assertThat(group().classic().members()).hasSize(consumers.size());
        assertThat(group().owners()).hasSize(4);
        generations += (int) group().generation();
    }

    private Server start() {
        SimulatedProcess process = world.process();
        ClassicProtocol groups = new ClassicProtocol(process.groups, ClassicConfig.DEFAULT);
        groups.adoptOrphans();
        return new Server(process, groups);
    }

    private Group group() {
        SimulatedProcess living = servers.stream()
                .filter(server -> !unreachable.contains(server.groups()))
                .findFirst()
                .orElseThrow()
                .process();
        return living.groups
                .find(new GroupName(GROUP))
                .map(replica -> replica.newest().group())
                .orElse(Group.empty());
    }

    private void pass(Duration time) {
        for (long end = world.now() + time.toNanos(); world.now() - end < 0; ) {
            consumers.forEach(consumer -> {
                if (unreachable.stream().noneMatch(consumer::isServedBy)) {
                    consumer.step(world.now());
                }
            });
            consumers.removeIf(consumer -> consumer.fenced);
            world.pass(Duration.ofMillis(20));
            judge();
        }
    }

    /**
     * Checks that in a stable generation each member has its assignment from the leader, and no two members share a
     * partition.
     */
    private void judge() {
        Group group = group();
        if (group.classic().state() != ClassicState.STABLE) {
            return;
        }
        Set<String> given = new HashSet<>();
        for (WireConsumer consumer : consumers) {
            boolean current = consumer.stable() && consumer.generation == group.generation();
            if (current && group.classic().members().containsKey(new MemberId(consumer.id))) {
                assertThat(consumer.assignment).startsWith(consumer.generation + ":");
                assertThat(given.add(consumer.assignment) || consumer.assignment.endsWith(":[]"))
                        .as("%s is given twice", consumer.assignment)
                        .isTrue();
            }
        }
    }

    private Server server() {
        return servers.get(random.nextInt(servers.size()));
    }

    private void come() {
        Optional<String> instance = random.nextInt(3) == 0 ? Optional.of("i" + names) : Optional.empty();
        consumers.add(new WireConsumer(server().groups(), GROUP, "c" + names++, instance));
    }

    private void something() {
        if (consumers.isEmpty()) {
            come();
            return;
        }
        WireConsumer consumer = consumers.get(random.nextInt(consumers.size()));
        switch (random.nextInt(9)) {
            case 0, 1 -> {
                if (consumers.size() < 4) {
                    come();
                }
            }
            case 2 -> {
                consumers.remove(consumer);
                if (!consumer.id.isEmpty()) {
                    consumer.leave();
                }
            }
            case 3 -> consumers.remove(consumer);
            case 4 -> consumer.restart();
            case 5 -> consumer.connect(server().groups());
            case 6 -> replace(server());
            case 7 -> {
                Server frozen = server();
                frozen.process().stop();
                unreachable.add(frozen.groups());
                pass(Duration.ofSeconds(random.nextInt(20)));
                unreachable.clear();
                frozen.process().goOn();
            }
            default -> commit(consumer);
        }
    }

    private void replace(Server killed) {
        killed.process().kill();
        unreachable.add(killed.groups());
        if (random.nextBoolean()) {
            // Some time without a server.
            pass(Duration.ofSeconds(random.nextInt(12)));
        }
        servers.remove(killed);
        servers.add(start());
        unreachable.clear();
        consumers.stream()
                .filter(consumer -> consumer.isServedBy(killed.groups()))
                .forEach(consumer -> consumer.connect(servers.getLast().groups()));
    }

    private void commit(WireConsumer consumer) {
        long generation = group().generation();
        var answer = consumer.commit(0, 7);
        world.settle();
        if (answer.isDone() && answer.join() instanceof ClassicReply.Done && generation > 0) {
            assertThat(consumer.generation)
                    .as("only the present generation commits")
                    .isIn(generation, -1L);
        }
    }
}
