package dev.muster.bench.cases;

import dev.muster.bench.broker.BrokerPair;
import dev.muster.bench.broker.PartitionsMeasure;
import dev.muster.bench.broker.Rival;
import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import dev.muster.bench.measure.Target;
import java.util.List;

/** Creates a topic of 1,000 partitions; measures the time until each can be used. */
final class KafkaPartitionsCase implements KafkaCase {
    private static final int PARTITIONS = 1000;
    private static final String USABLE = "usable_ms";

    @Override
    public String name() {
        return "kafka-partitions";
    }

    @Override
    public List<Outcome> run(Options options) throws Exception {
        Figures figures = new Figures("a topic of 1,000 partitions");
        try (BrokerPair pair = BrokerPair.start(options.directory())) {
            Rival kafka = pair.kafka();
            Rival os = pair.musterOs();
            List<Rival> rivals = List.of(kafka, os, pair.musterCommit());
            figures.order(rivals.stream().map(Rival::label).toList());
            for (Rival rival : rivals) {
                new PartitionsMeasure(PARTITIONS / 5).run(rival);
            }
            for (int repetition = 0; repetition < options.repetitions(); repetition++) {
                for (Rival rival : Case.turns(rivals, repetition)) {
                    figures.add(rival.label(), USABLE, new PartitionsMeasure(PARTITIONS).run(rival));
                    figures.add(
                            rival.label(), "rss_mib", rival.broker().status().residentMib());
                }
            }
            return List.of(new Outcome(
                    figures,
                    List.of(Target.atLeast(
                            5,
                            "1,000 partitions usable, times sooner than Kafka",
                            figures.of(kafka.label(), USABLE).over(figures.of(os.label(), USABLE))))));
        }
    }
}
