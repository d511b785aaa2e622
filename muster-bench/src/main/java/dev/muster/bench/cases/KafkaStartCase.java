package dev.muster.bench.cases;

import dev.muster.bench.broker.BrokerPair;
import dev.muster.bench.broker.ProcessStatus;
import dev.muster.bench.broker.Rival;
import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import dev.muster.bench.measure.Target;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The time from the start of the process to its first answer, on an empty folder, and the memory of a server without
 * clients.
 */
final class KafkaStartCase implements KafkaCase {
    private static final String READY = "ready_ms";
    private static final String RESIDENT = "rss_mib";
    /** Long enough for the work that a server does once after its first answer. */
    private static final Duration IDLE = Duration.ofSeconds(3);

    @Override
    public String name() {
        return "kafka-start";
    }

    @Override
    public List<Outcome> run(Options options) throws Exception {
        Figures figures = new Figures("start to first answer, idle memory");
        figures.order(List.of("Kafka", "Muster"));
        for (int repetition = 0; repetition < options.repetitions(); repetition++) {
            try (BrokerPair pair = BrokerPair.prepare(options.directory())) {
                for (Rival rival : Case.turns(List.of(pair.kafka(), pair.muster()), repetition)) {
                    turn(figures, rival);
                }
            }
        }
        return List.of(new Outcome(
                figures,
                List.of(
                        Target.atMost(600, "ms", "start to first answer", figures.of("Muster", READY)),
                        Target.atLeast(
                                6,
                                "start to first answer, times faster than Kafka",
                                figures.of("Kafka", READY).over(figures.of("Muster", READY))),
                        Target.atMost(
                                0.3,
                                "×",
                                "idle memory (RSS) of Kafka's",
                                figures.of("Muster", RESIDENT).over(figures.of("Kafka", RESIDENT))))));
    }

    /** One turn, in which only this server runs. */
    private static void turn(Figures figures, Rival rival) throws Exception {
        figures.add(rival.label(), READY, rival.broker().process().start().toNanos() / 1e6);
        LockSupport.parkNanos(IDLE.toNanos());
        ProcessStatus status = rival.broker().status();
        figures.add(rival.label(), RESIDENT, status.residentMib());
        figures.add(rival.label(), "pss_mib", status.proportionalMib());
        figures.add(rival.label(), "cpu_ms", status.processorTime().toNanos() / 1e6);
        rival.broker().process().kill();
    }
}
