package dev.muster.bench.cases;

import dev.muster.bench.broker.BrokerPair;
import dev.muster.bench.broker.RestartMeasure;
import dev.muster.bench.broker.Rival;
import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import dev.muster.bench.measure.Target;
import java.util.List;

/**
 * Kills a server with a long log ({@code kill -9}), and starts a new one; measures the time until a record is
 * acknowledged.
 */
final class KafkaRestartCase implements KafkaCase {
    private static final String ACKNOWLEDGED = "first_ack_ms";

    @Override
    public String name() {
        return "kafka-restart";
    }

    @Override
    public List<Outcome> run(Options options) throws Exception {
        RestartMeasure measure = new RestartMeasure(options.logMib(), options.seed());
        Figures figures = new Figures("restart after kill -9, " + options.logMib() + " MiB of log");
        try (BrokerPair pair = BrokerPair.start(options.directory())) {
            Rival kafka = pair.kafka();
            Rival muster = pair.musterOs();
            figures.order(List.of(kafka.label(), muster.label()));
            for (int repetition = 0; repetition < options.repetitions(); repetition++) {
                for (Rival rival : Case.turns(List.of(kafka, muster), repetition)) {
                    figures.add(rival.label(), ACKNOWLEDGED, measure.run(rival));
                }
            }
            return List.of(new Outcome(
                    figures,
                    List.of(Target.atMost(
                            1000,
                            "ms",
                            "restart on " + options.logMib() + " MiB of log to first acknowledgement",
                            figures.of(muster.label(), ACKNOWLEDGED)))));
        }
    }
}
