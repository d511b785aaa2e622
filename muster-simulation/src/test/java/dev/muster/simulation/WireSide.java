package dev.muster.simulation;

import dev.muster.core.TopicName;
import dev.muster.testkit.sim.SimProcess;
import dev.muster.testkit.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** The wire part of a run: servers, one after the other, and clients that outlive them. */
final class WireSide {
    static final List<String> ALL_THAT_HAPPENS = List.of(
            "modern client starts",
            "static modern client starts",
            "classic client starts",
            "static classic client starts",
            "wire client leaves",
            "wire client dies",
            "wire client vanishes",
            "wire client freezes",
            "wire client does not poll",
            "connection breaks",
            "connection swallows",
            "server hangs up",
            "server starts",
            "second server tries",
            "server dies",
            "server stops",
            "server leaves");
    private static final int SERVER = 50;
    private static final long MILLISECOND = 1_000_000;
    private static final long SECOND = 1_000 * MILLISECOND;

    private final GroupRun run;
    private final Simulation sim;
    private final SplittableRandom chance;
    private final Network network;
    private final WireJudge judge;
    private final List<ServerActor> servers = new ArrayList<>();
    private final List<Slot> slots = new ArrayList<>();
    private final Cast cast;
    /** True if the classic consumers of the group are cooperative. */
    private final boolean cooperative;

    private int starts;
    private boolean calm;

    /** A slot for a client: when one ends, another starts. */
    private final class Slot {
        private final int number;
        private final Optional<String> instance;
        private WireClient client;
        private int clients;

        Slot(int number) {
            this.number = number;
            this.instance = chance.nextInt(4) == 0 ? Optional.of("wired-" + number) : Optional.empty();
        }

        boolean runs() {
            return client != null && !client.hasEnded();
        }

        void start() {
            if (!runs()) {
                boolean classic = cast.isClassic(number, chance);
                client = classic ? classic("c" + number + "-" + clients++) : modern("w" + number + "-" + clients++);
                client.begin();
                run.happens(
                        (instance.isPresent() ? "static " : "") + (classic ? "classic" : "modern") + " client starts");
            }
        }

        private WireClient modern(String name) {
            WireClient modern = new ModernClient(WireSide.this, name, instance, new TreeSet<>(Set.of(run.topic())));
            judge.client(modern);
            return modern;
        }

        private WireClient classic(String name) {
            judge.name(instance.orElse(name));
            return new ClassicClient(WireSide.this, name, instance, run.topic(), cooperative);
        }
    }

    WireSide(GroupRun run, Cast cast) {
        this.run = run;
        this.cast = cast;
        this.sim = run.simulation();
        this.chance = sim.chance();
        this.network = new Network(sim, run.planted().needsLateCommits());
        this.judge = new WireJudge(sim, run.referee());
        run.referee().wire(judge);
        this.cooperative = chance.nextBoolean();
        int clients = 1 + chance.nextInt(3);
        for (int i = 0; i < clients; i++) {
            slots.add(new Slot(i));
        }
    }

    Simulation simulation() {
        return sim;
    }

    Network network() {
        return network;
    }

    WireJudge judge() {
        return judge;
    }

    /**
     * A random one of the running servers; empty if there is none. More than one can run only if a mistake was planted
     * on purpose.
     */
    Optional<ServerActor> anyServer() {
        List<ServerActor> serving =
                servers.stream().filter(ServerActor::isServing).toList();
        return serving.isEmpty() ? Optional.empty() : Optional.of(serving.get(chance.nextInt(serving.size())));
    }

    /** Notes a sign of life of a process. */
    void beats(SimProcess process) {
        servers.stream()
                .filter(server -> server.process() == process)
                .forEach(server -> server.host().beats());
    }

    // With faults

    void begin() {
        sim.after(chance.nextLong(SECOND / 2), this::startServer);
        slots.forEach(slot -> sim.after(chance.nextLong(SECOND), slot::start));
        watch();
    }

    private void startServer() {
        run.happens(servers.stream().anyMatch(ServerActor::isServing) ? "second server tries" : "server starts");
        ServerActor server = new ServerActor(run, sim.start("s" + SERVER), SERVER + starts++, judge);
        servers.add(server);
        server.begin();
    }

    /** Closes the connections of dead servers, and starts another server. */
    private void watch() {
        sim.after(20 * MILLISECOND, () -> {
            for (ServerActor server : List.copyOf(servers)) {
                if (server.process().hasEnded()) {
                    servers.remove(server);
                    network.died(server);
                }
            }
            if (servers.isEmpty() && (calm || chance.nextInt(20) == 0)) {
                startServer();
            }
            watch();
        });
    }

    void act() {
        Slot slot = slots.get(chance.nextInt(slots.size()));
        switch (chance.nextInt(14)) {
            case 0, 1, 2 -> actOnServer();
            case 3, 4, 5, 6 -> actOnConnection();
            default -> actOnClient(slot);
        }
    }

    private void actOnServer() {
        Optional<ServerActor> server = anyServer();
        if (server.isEmpty()) {
            return;
        }
        switch (chance.nextInt(5)) {
            case 0 -> {
                run.happens("server leaves");
                server.get().host().leave();
            }
            case 1, 2 -> {
                run.happens("server dies");
                server.get().process().end();
            }
            case 3 -> {
                run.happens("server stops");
                server.get().process().stop(300 * MILLISECOND + chance.nextLong(4 * SECOND));
            }
            default -> startServer();
        }
    }

    private void actOnConnection() {
        List<Network.Connection> open = network.open();
        if (open.isEmpty()) {
            return;
        }
        Network.Connection connection = open.get(chance.nextInt(open.size()));
        switch (chance.nextInt(3)) {
            case 0 -> {
                run.happens("connection breaks");
                connection.reset();
            }
            case 1 -> {
                run.happens("connection swallows");
                connection.swallow();
            }
            default -> {
                run.happens("server hangs up");
                connection.hangUpByServer();
            }
        }
    }

    private void actOnClient(Slot slot) {
        if (!slot.runs()) {
            slot.start();
            return;
        }
        switch (chance.nextInt(8)) {
            case 0 -> {
                run.happens("wire client leaves");
                slot.client.leave();
            }
            case 1 -> {
                run.happens("wire client dies");
                slot.client.kill();
            }
            case 2 -> {
                run.happens("wire client vanishes");
                slot.client.vanish();
            }
            case 3, 4 -> {
                run.happens("wire client freezes");
                slot.client.freeze(200 * MILLISECOND + chance.nextLong(4 * SECOND));
            }
            case 5 -> {
                run.happens("wire client does not poll");
                slot.client.stopsPolling(chance.nextLong(2 * SECOND));
            }
            default -> {}
        }
    }

    void allLeave() {
        slots.stream().filter(Slot::runs).forEach(slot -> slot.client.leave());
    }

    // Without faults

    void calm() {
        calm = true;
        network.calm();
        slots.forEach(slot -> {
            if (slot.runs()) {
                slot.client.thaw();
            }
        });
        comeBack();
    }

    /** Starts clients again that ended by themselves. */
    private void comeBack() {
        slots.forEach(Slot::start);
        sim.after(100 * MILLISECOND, this::comeBack);
    }

    /** The clients that should be in the group. */
    List<WireClient> clients() {
        return slots.stream().filter(Slot::runs).map(slot -> slot.client).toList();
    }

    boolean isOfTheWire(String member) {
        return member != null && judge.knows(member);
    }

    /** True if a wire member processes a partition; other members are not checked here. */
    boolean works(String member, String partition) {
        return !judge.knows(member)
                || clients().stream()
                        .anyMatch(client -> client.memberId().equals(member)
                                && client.worksSince(partition).isPresent());
    }

    /** The number of clients that process a partition. */
    long workers(String partition) {
        return clients().stream()
                .filter(client -> client.worksSince(partition).isPresent())
                .count();
    }

    /** True if a late commit lowered a commit of this end. */
    boolean wasLoweredByLateCommit(String partition, long end) {
        return judge.wasLoweredByLateCommit(partition, end);
    }

    boolean reads(TopicName topic) {
        return run.topic().equals(topic);
    }
}
