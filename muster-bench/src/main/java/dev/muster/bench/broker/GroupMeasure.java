package dev.muster.bench.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.locks.LockSupport;

/**
 * The time in which members that join together get their partitions, and the time that one more member needs.
 *
 * @param members the number of members that join together
 * @param heartbeat the heartbeat interval of the members, at which they also learn of a rebalance
 * @param pause the time before one more member joins, which matters relative to the heartbeats; negative if none joins
 */
public record GroupMeasure(int members, Duration heartbeat, Duration pause) {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** @param millis the milliseconds until all partitions were assigned */
    public record Formed(double millis, OptionalDouble oneMoreMillis) {}

    public Formed run(Rival rival) throws Exception {
        int partitions = 2 * (members + 1);
        OwnershipCheck ownership = new OwnershipCheck(partitions);
        List<MeasuredMember> all = new ArrayList<>();
        try (BrokerTopic topic = rival.newTopic(partitions)) {
            String group = Rival.newName("group");
            try {
                for (int i = 0; i <= members; i++) {
                    all.add(new MeasuredMember(
                            "member-" + i, topic, topic.clients().member(group, heartbeat), ownership));
                }
                double formed = millisUntilComplete(ownership, all.subList(0, members));
                OptionalDouble oneMore = OptionalDouble.empty();
                if (!pause.isNegative()) {
                    LockSupport.parkNanos(pause.toNanos());
                    oneMore = OptionalDouble.of(millisUntilComplete(ownership, all.subList(members, members + 1)));
                }
                return new Formed(formed, oneMore);
            } finally {
                all.forEach(MeasuredMember::leave);
                for (MeasuredMember member : all) {
                    member.awaitGone();
                }
            }
        }
    }

    private static double millisUntilComplete(OwnershipCheck ownership, List<MeasuredMember> joining)
            throws InterruptedException {
        long begin = System.nanoTime();
        joining.forEach(MeasuredMember::join);
        return (ownership.awaitComplete(PATIENCE) - begin) / 1e6;
    }
}
