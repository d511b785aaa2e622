package dev.muster.bench.cases;

import static dev.muster.bench.broker.Clients.HEARTBEAT;

import dev.muster.bench.broker.BrokerPair;
import dev.muster.bench.broker.GroupMeasure;
import dev.muster.bench.broker.GroupMeasure.Formed;
import dev.muster.bench.broker.Rival;
import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import dev.muster.bench.measure.Target;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Members of the classic protocol join together; measures the time until all have partitions. Then one more joins. */
final class KafkaGroupsCase implements KafkaCase {
    private static final int ONE_MORE_TO = 10;
    private static final Duration NOBODY_JOINS = Duration.ofMillis(-1);
    private static final String FORM = "form_ms";

    @Override
    public String name() {
        return "kafka-groups";
    }

    @Override
    public List<Outcome> run(Options options) throws Exception {
        List<Integer> sizes = options.quick() ? List.of(3, 10) : List.of(3, 10, 50, 100);
        Figures figures = new Figures("group formation, classic protocol");
        Random random = new Random(options.seed());
        try (BrokerPair pair = BrokerPair.start(options.directory())) {
            Rival kafka = pair.kafka();
            Rival muster = pair.muster();
            List<Rival> rivals = List.of(kafka, muster);
            for (int size : sizes) {
                figures.order(rivals.stream().map(rival -> row(rival, size)).toList());
            }
            // Kafka creates its offsets topic at the first join.
            for (Rival rival : rivals) {
                new GroupMeasure(1, HEARTBEAT, NOBODY_JOINS).run(rival);
            }
            for (int repetition = 0; repetition < options.repetitions(); repetition++) {
                for (int size : sizes) {
                    Duration pause = size == ONE_MORE_TO
                            ? Duration.ofMillis(random.nextLong(HEARTBEAT.toMillis()))
                            : NOBODY_JOINS;
                    for (Rival rival : Case.turns(rivals, repetition)) {
                        Formed formed = new GroupMeasure(size, HEARTBEAT, pause).run(rival);
                        figures.add(row(rival, size), FORM, formed.millis());
                        formed.oneMoreMillis()
                                .ifPresent(millis -> figures.add(row(rival, size), "one_more_ms", millis));
                    }
                }
            }
            return List.of(new Outcome(
                    figures,
                    sizes.stream()
                            .map(size -> Target.atLeast(
                                    10,
                                    "group of " + size + " formed, times faster than Kafka",
                                    figures.of(row(kafka, size), FORM).over(figures.of(row(muster, size), FORM))))
                            .toList()));
        }
    }

    private static String row(Rival rival, int size) {
        return rival.label() + ", " + size + " members";
    }
}
