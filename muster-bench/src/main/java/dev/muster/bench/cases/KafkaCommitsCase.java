package dev.muster.bench.cases;

import dev.muster.bench.broker.BrokerPair;
import dev.muster.bench.broker.CommitMeasure;
import dev.muster.bench.broker.CommitMeasure.Committed;
import dev.muster.bench.broker.RawSync;
import dev.muster.bench.broker.Rival;
import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import java.time.Duration;
import java.util.List;

/**
 * Commits of offsets, each awaited. Muster answers a commit after a sync, and Kafka waits for none. So this is shown
 * beside the time of a sync, and has no target against Kafka.
 */
final class KafkaCommitsCase implements KafkaCase {
    private static final List<Integer> MEMBERS = List.of(1, 8);

    @Override
    public String name() {
        return "kafka-commits";
    }

    @Override
    public List<Outcome> run(Options options) throws Exception {
        Figures figures = new Figures("offset commits, each awaited");
        Duration time = Duration.ofMillis(options.quick() ? 1500 : 3000);
        try (BrokerPair pair = BrokerPair.start(options.directory())) {
            List<Rival> rivals = List.of(pair.kafka(), pair.muster());
            for (int members : MEMBERS) {
                figures.order(rivals.stream().map(it -> row(it, members)).toList());
            }
            for (int repetition = 0; repetition < options.repetitions(); repetition++) {
                for (int members : MEMBERS) {
                    for (Rival rival : Case.turns(rivals, repetition)) {
                        Committed committed = new CommitMeasure(members, 500, time).run(rival);
                        figures.add(row(rival, members), "commits_per_s", committed.perSecond());
                        figures.add(
                                row(rival, members),
                                "p50_ms",
                                committed.latencies().getValueAtPercentile(50) / 1e6);
                        figures.add(
                                row(rival, members),
                                "p99_ms",
                                committed.latencies().getValueAtPercentile(99) / 1e6);
                    }
                }
                figures.add(
                        "raw write + fdatasync",
                        "p50_ms",
                        RawSync.measure(pair.folder()).getValueAtPercentile(50) / 1e6);
            }
        }
        return List.of(new Outcome(figures, List.of()));
    }

    private static String row(Rival rival, int members) {
        return rival.label() + ", " + members + (members == 1 ? " member" : " members");
    }
}
