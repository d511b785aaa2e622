package dev.muster.it.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.SyncGroupRequestData;

/** A fixed script: clients that send a test's requests to both brokers. */
final class GroupScene {
    private static final int JOIN_VERSION = 5;
    private static final int WITHOUT_ID_STEP = 3;
    private static final int SYNC_VERSION = 4;

    /** The session and rebalance timeouts of a client. */
    record Times(Duration session, Duration rebalance) {
        static final Times LONG = new Times(Duration.ofMinutes(3), Duration.ofMinutes(5));
    }

    private final Comparison comparison;
    private final String group;
    private long begun;
    private long stepsNanos;

    GroupScene(Comparison comparison, String group) {
        this.comparison = comparison;
        this.group = group;
    }

    /**
     * True if the machine paused or was so slow that a timeout may have expired unintentionally: the steps between two
     * waits, or a single check of a broker, took half of it.
     */
    boolean tookTooLongFor(Duration time) {
        long half = time.toNanos() / 2;
        return stepsNanos >= half || comparison.longestPause().toNanos() >= half;
    }

    /**
     * Notes the time since the first step after the last wait, then runs the step. The step's own duration is not
     * measured, because a failed step includes the wait for both brokers to agree.
     */
    private void run(GroupStep step) throws Exception {
        long now = System.nanoTime();
        begun = begun == 0 ? now : begun;
        stepsNanos = Math.max(stepsNanos, now - begun);
        comparison.run(step);
    }

    /** Joins without a member id, by a version that needs no second join. */
    void join(String client, Times times) throws Exception {
        run(join(client, "", Optional.empty(), times, WITHOUT_ID_STEP));
    }

    void joinAsStatic(String client, String instance, Times times) throws Exception {
        run(join(client, "", Optional.of(instance), times, JOIN_VERSION));
    }

    /** Gets an id without using it. */
    void askForAnId(String client, Times times) throws Exception {
        run(join(client, "", Optional.empty(), times, JOIN_VERSION));
    }

    void rejoin(String client, Times times) throws Exception {
        run(join(client, client + ".1", Optional.empty(), times, JOIN_VERSION));
    }

    void sync(String client, int generation) throws Exception {
        run(new GroupStep(
                client,
                SYNC_VERSION,
                side -> new SyncGroupRequestData()
                        .setGroupId(group)
                        .setMemberId(side.id(client + ".1"))
                        .setGenerationId(generation),
                "sync of " + client));
    }

    /** Waits until both brokers reach this state by a timeout. */
    void await(String state, int members) throws Exception {
        begun = 0;
        comparison.await(state);
        int there = comparison.state().members().size();
        if (there != members) {
            throw new AssertionError(
                    there + " members, not " + members + ", after\n" + String.join("\n", comparison.transcript()));
        }
    }

    private GroupStep join(String client, String member, Optional<String> instance, Times times, int version) {
        List<JoinGroupRequestProtocol> protocols =
                List.of(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[] {1}));
        return new GroupStep(
                client,
                version,
                side -> new JoinGroupRequestData()
                        .setGroupId(group)
                        .setMemberId(side.id(member))
                        .setGroupInstanceId(instance.orElse(null))
                        .setSessionTimeoutMs(Math.toIntExact(times.session().toMillis()))
                        .setRebalanceTimeoutMs(Math.toIntExact(times.rebalance().toMillis()))
                        .setProtocolType("consumer")
                        .setProtocols(new JoinGroupRequestData.JoinGroupRequestProtocolCollection(protocols.stream()
                                .map(JoinGroupRequestProtocol::duplicate)
                                .iterator())),
                "join as \"" + member + "\"");
    }
}
