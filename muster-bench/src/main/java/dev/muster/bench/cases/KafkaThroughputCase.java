package dev.muster.bench.cases;

import dev.muster.bench.broker.BrokerPair;
import dev.muster.bench.broker.BrokerTopic;
import dev.muster.bench.broker.ConsumeMeasure;
import dev.muster.bench.broker.ConsumeMeasure.Consumed;
import dev.muster.bench.broker.ProduceMeasure;
import dev.muster.bench.broker.ProduceMeasure.Produced;
import dev.muster.bench.broker.Rival;
import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import dev.muster.bench.measure.Samples;
import dev.muster.bench.measure.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Producers send at full speed, and one consumer reads everything back; measures the rates and the server's processor
 * time per record.
 */
final class KafkaThroughputCase implements KafkaCase {
    private static final int PARTITIONS = 6;
    private static final int MANY = 4;
    private static final Duration TURN = Duration.ofMillis(1500);

    private static final String PRODUCE = "produce_per_s";
    private static final String PRODUCE_CPU = "produce_cpu_us";
    private static final String CONSUME = "consume_per_s";
    private static final String CONSUME_CPU = "consume_cpu_us";

    /** The load, and the wanted ratio to Kafka. */
    private record Load(int size, int producers, double wanted) {
        String title() {
            return size + " B, " + producers + (producers == 1 ? " producer" : " producers");
        }
    }

    @Override
    public String name() {
        return "kafka-throughput";
    }

    @Override
    public List<Outcome> run(Options options) throws Exception {
        List<Outcome> outcomes = new ArrayList<>();
        try (BrokerPair pair = BrokerPair.start(options.directory())) {
            List<Rival> rivals = List.of(pair.kafka(), pair.musterOs(), pair.musterCommit());
            for (Load load : List.of(
                    new Load(100, MANY, 1), new Load(1024, MANY, 1.2), new Load(100, 1, 1), new Load(1024, 1, 1.2))) {
                if (load.producers() == MANY) {
                    warmUp(options, rivals, load);
                }
                outcomes.add(compare(options, rivals, load));
            }
        }
        return outcomes;
    }

    /**
     * Runs until both ends are compiled: before, a record costs several times as much, and the first rival would pay
     * for it.
     */
    private static void warmUp(Options options, List<Rival> rivals, Load load) throws Exception {
        Duration time = Duration.ofMillis(options.quick() ? 2500 : 4500);
        for (Rival rival : rivals) {
            turn(options, new Figures("warm-up"), rival, load, time);
        }
    }

    private static Outcome compare(Options options, List<Rival> rivals, Load load) throws Exception {
        Figures figures = new Figures("throughput, " + load.title() + ", " + PARTITIONS + " partitions");
        figures.order(rivals.stream().map(Rival::label).toList());
        for (int repetition = 0; repetition < options.repetitions() * turns(options, load); repetition++) {
            for (Rival rival : Case.turns(rivals, repetition)) {
                turn(options, figures, rival, load, TURN);
            }
        }
        String kafka = rivals.get(0).label();
        String os = rivals.get(1).label();
        String commit = rivals.get(2).label();
        for (Rival rival : rivals) {
            for (double ratio : over(figures, PRODUCE, rival.label(), kafka).values()) {
                figures.add(rival.label(), "produce_over_kafka", ratio);
            }
        }
        // One producer is limited by itself more than by the server. So its figure is shown without a target.
        return load.producers() == MANY
                ? new Outcome(figures, targets(figures, load, kafka, os, commit))
                : new Outcome(figures, List.of());
    }

    /** The number of turns. Disks and virtual machines vary, so loads with a target get several short turns. */
    private static int turns(Options options, Load load) {
        return options.quick() || load.producers() != MANY ? 1 : 2;
    }

    private static List<Target> targets(Figures figures, Load load, String kafka, String os, String commit) {
        String what = load.title() + ", over Kafka";
        return List.of(
                Target.atLeast(load.wanted(), "produce at sync=os, " + what, over(figures, PRODUCE, os, kafka)),
                Target.atLeast(
                        0.9,
                        "produce at sync=commit, " + what + " without fsync",
                        over(figures, PRODUCE, commit, kafka)),
                Target.atLeast(load.wanted(), "consume, " + what, over(figures, CONSUME, os, kafka)),
                Target.atMost(
                        0.6, "×", "server CPU for a record produced, " + what, over(figures, PRODUCE_CPU, os, kafka)),
                Target.atMost(
                        0.6, "×", "server CPU for a record consumed, " + what, over(figures, CONSUME_CPU, os, kafka)));
    }

    private static Samples over(Figures figures, String name, String ours, String theirs) {
        return figures.of(ours, name).over(figures.of(theirs, name));
    }

    private static void turn(Options options, Figures figures, Rival rival, Load load, Duration time) throws Exception {
        try (BrokerTopic topic = rival.newTopic(PARTITIONS)) {
            writeOutEarlierTurns();
            Produced produced = new ProduceMeasure(load.producers(), load.size(), time, Long.MAX_VALUE, options.seed())
                    .run(rival, topic);
            Consumed consumed = new ConsumeMeasure(load.size(), time.dividedBy(3)).run(rival, topic, produced);
            figures.add(rival.label(), PRODUCE, produced.perSecond());
            figures.add(rival.label(), "produce_mb_per_s", produced.perSecond() * load.size() / 1e6);
            figures.add(rival.label(), PRODUCE_CPU, produced.serverMicrosPerRecord());
            figures.add(rival.label(), CONSUME, consumed.perSecond());
            figures.add(rival.label(), CONSUME_CPU, consumed.serverMicrosPerRecord());
        }
    }

    /** Writes out the page cache, so that one rival's sync does not wait for writes of the other. */
    private static void writeOutEarlierTurns() throws IOException, InterruptedException {
        if (new ProcessBuilder("sync").inheritIO().start().waitFor() != 0) {
            throw new IOException("the command sync failed");
        }
    }
}
