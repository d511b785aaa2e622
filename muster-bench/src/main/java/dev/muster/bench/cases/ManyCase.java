package dev.muster.bench.cases;

import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import dev.muster.bench.measure.Parameters;
import dev.muster.bench.measure.Samples;
import dev.muster.bench.measure.ScratchFolder;
import dev.muster.bench.measure.Target;
import dev.muster.bench.peer.Peer;
import dev.muster.bench.turn.TurnProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One, two and four processes append to one partition at once; measures whether their rates add up, and whether they
 * are equal.
 */
final class ManyCase implements Case {
    private static final List<Integer> WRITERS = List.of(1, 2, 4);
    private static final int SIZE = 100;
    private static final String SUM = "append_per_s";
    private static final String SLOWEST = "slowest_over_mean";
    private static final String GAP = "longest_gap_ms";

    @Override
    public String name() {
        return "many";
    }

    @Override
    public List<Outcome> run(Options options) throws IOException {
        return List.of(
                compare(options, "batched", List.of(Contestant.MUSTER, Contestant.RAW_STREAM, Contestant.CHRONICLE)),
                compare(options, "one record a batch", List.of(Contestant.MUSTER_EACH, Contestant.RAW_EACH)));
    }

    /** Compares the contestants. The first one is Muster; the others show the limits of the machine. */
    private static Outcome compare(Options options, String batches, List<Contestant> contestants) throws IOException {
        Figures figures = new Figures("many writer processes, one partition, " + SIZE + " B, " + batches);
        List<Contestant> taking = options.quick() ? contestants.subList(0, 1) : contestants;
        for (int repetition = 0; repetition < options.repetitions(); repetition++) {
            for (Contestant contestant : Case.turns(taking, repetition)) {
                for (int writers : WRITERS) {
                    round(options, figures, contestant, writers);
                }
            }
        }
        String ours = contestants.getFirst().label();
        Samples four = figures.of(row(ours, 4), SUM);
        Samples one = figures.of(row(ours, 1), SUM);
        return new Outcome(
                figures,
                List.of(
                        Target.atLeast(0.8, "many, " + batches + ": four processes over one", four.over(one)),
                        Target.atLeast(
                                0.5,
                                "many, " + batches + ": slowest of four over their mean",
                                figures.of(row(ours, 4), SLOWEST))));
    }

    private static String row(String label, int writers) {
        return label + " × " + writers;
    }

    private static void round(Options options, Figures figures, Contestant contestant, int writers) throws IOException {
        try (ScratchFolder scratch = ScratchFolder.in(options.directory())) {
            Path queue = Files.createDirectory(scratch.path().resolve("queue"));
            Path warmUp = Files.createDirectory(scratch.path().resolve("warm-up"));
            Parameters common = Parameters.of("peer", contestant.peer())
                    .with("mode", contestant.mode())
                    .with("dir", queue)
                    .with("warm-up", warmUp)
                    .with("warm-up-cpu-millis", options.quick() ? 1500 : 4000)
                    .with("size", SIZE)
                    .with("seed", options.seed())
                    .with("millis", options.quick() ? 1500 : 3000);
            Peer peer = Peer.named(contestant.peer());
            peer.prepare(queue, contestant.mode());
            peer.prepare(warmUp, contestant.mode());
            List<Parameters> results = together(common, writers);
            verify(common, results);
            double[] rates = results.stream()
                    .mapToDouble(it -> it.number("append_per_s"))
                    .toArray();
            double sum = Arrays.stream(rates).sum();
            String row = row(contestant.label(), writers);
            figures.add(row, SUM, sum);
            figures.add(row, SLOWEST, new Samples(rates).min() / (sum / writers));
            figures.add(
                    row,
                    GAP,
                    results.stream()
                            .mapToDouble(it -> it.number("gap_ms"))
                            .max()
                            .orElseThrow());
        }
    }

    /** Runs several writers. All are set up before the first begins, and all begin together. */
    private static List<Parameters> together(Parameters common, int writers) throws IOException {
        List<TurnProcess> children = new ArrayList<>();
        try {
            for (int writer = 0; writer < writers; writer++) {
                children.add(TurnProcess.start("many", common.with("writer", writer)));
            }
            for (TurnProcess child : children) {
                child.awaitReady();
            }
            Parameters start = Parameters.of("at", System.nanoTime() + 100_000_000L);
            for (TurnProcess child : children) {
                child.tell(start);
            }
            List<Parameters> results = new ArrayList<>();
            for (TurnProcess child : children) {
                results.add(child.result());
            }
            return results;
        } finally {
            children.forEach(TurnProcess::close);
        }
    }

    private static void verify(Parameters common, List<Parameters> results) throws IOException {
        String counts = results.stream().map(it -> it.text("records")).collect(Collectors.joining(","));
        TurnProcess.run("verify", common.with("counts", counts));
    }
}
