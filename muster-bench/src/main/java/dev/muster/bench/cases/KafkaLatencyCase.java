package dev.muster.bench.cases;

import dev.muster.bench.broker.BrokerPair;
import dev.muster.bench.broker.BrokerTopic;
import dev.muster.bench.broker.LatencyMeasure;
import dev.muster.bench.broker.RawSync;
import dev.muster.bench.broker.Rival;
import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import dev.muster.bench.measure.Target;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The time from {@code send} to {@code poll} at a fixed rate, beside the time of a sync on the same disk at the same
 * time.
 */
final class KafkaLatencyCase implements KafkaCase {
    private static final int PER_SECOND = 1000;
    private static final String P50 = "p50_ms";
    private static final String P99 = "p99_ms";
    private static final String RAW = "raw write + fdatasync";

    @Override
    public String name() {
        return "kafka-latency";
    }

    @Override
    public List<Outcome> run(Options options) throws Exception {
        Figures figures = new Figures("send to poll, 100 B, " + PER_SECOND + "/s");
        LatencyMeasure measure =
                new LatencyMeasure(100, PER_SECOND, 1000, options.quick() ? 3000 : 8000, options.seed());
        LatencyMeasure warmUp =
                new LatencyMeasure(100, 5 * PER_SECOND, 0, options.quick() ? 8000 : 25_000, options.seed());
        try (BrokerPair pair = BrokerPair.start(options.directory())) {
            Rival kafka = pair.kafka();
            Rival os = pair.musterOs();
            Rival commit = pair.musterCommit();
            List<Rival> rivals = List.of(kafka, os, commit);
            figures.order(List.of(kafka.label(), os.label(), commit.label(), RAW));
            for (Rival rival : rivals) {
                measure(warmUp, rival);
            }
            for (int repetition = 0; repetition < options.repetitions(); repetition++) {
                for (Rival rival : Case.turns(rivals, repetition)) {
                    add(figures, rival.label(), measure(measure, rival));
                }
                add(figures, RAW, RawSync.measure(pair.folder()));
            }
            double floor = figures.of(RAW, P50).median()
                    + figures.of(kafka.label(), P50).median();
            return List.of(new Outcome(
                    figures,
                    List.of(
                            Target.atMost(
                                    0.7,
                                    "×",
                                    "send to poll at sync=os, p99, over Kafka",
                                    figures.of(os.label(), P99).over(figures.of(kafka.label(), P99))),
                            Target.atMost(
                                    floor,
                                    "ms",
                                    "send to poll at sync=commit, p50 (Kafka without fsync, + one raw fsync)",
                                    figures.of(commit.label(), P50)))));
        }
    }

    private static Histogram measure(LatencyMeasure measure, Rival rival) throws Exception {
        try (BrokerTopic topic = rival.newTopic(1)) {
            return measure.run(topic);
        }
    }

    private static void add(Figures figures, String row, Histogram nanos) {
        figures.add(row, P50, nanos.getValueAtPercentile(50) / 1e6);
        figures.add(row, "p90_ms", nanos.getValueAtPercentile(90) / 1e6);
        figures.add(row, P99, nanos.getValueAtPercentile(99) / 1e6);
        figures.add(row, "max_ms", nanos.getMaxValue() / 1e6);
    }
}
