package dev.muster.bench.cases;

import static dev.muster.bench.cases.Contestant.CHRONICLE;
import static dev.muster.bench.cases.Contestant.MUSTER;
import static dev.muster.bench.cases.Contestant.RAW_EACH;
import static dev.muster.bench.cases.Contestant.RAW_STREAM;

import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import dev.muster.bench.measure.Parameters;
import dev.muster.bench.measure.ScratchFolder;
import dev.muster.bench.measure.Target;
import dev.muster.bench.turn.TurnProcess;
import java.io.IOException;
import java.util.List;

/** One thread appends at full speed, without syncs. Then everything is read back. */
final class AppendCase implements Case {
    private static final List<Contestant> CONTESTANTS = List.of(RAW_STREAM, RAW_EACH, CHRONICLE, MUSTER);
    private static final String APPEND = "append_per_s";
    private static final String READ = "read_per_s";
    private static final List<String> FIGURES = List.of(
            APPEND, "append_mb_per_s", "append_cpu_ns", READ, "read_mb_per_s", "read_cpu_ns", "disk_bytes_per_record");

    @Override
    public String name() {
        return "append";
    }

    @Override
    public List<Outcome> run(Options options) throws IOException {
        return List.of(
                compare(options, 100, options.quick() ? 1_500_000 : 5_000_000, 0.25),
                compare(options, 1024, options.quick() ? 300_000 : 500_000, 0.6));
    }

    private static Outcome compare(Options options, int size, int records, double ofRawWanted) throws IOException {
        Figures figures = new Figures("append " + size + " B at sync=os, read back");
        figures.order(CONTESTANTS.stream().map(Contestant::label).toList());
        for (int repetition = 0; repetition < options.repetitions(); repetition++) {
            for (Contestant contestant : Case.turns(CONTESTANTS, repetition)) {
                try (ScratchFolder scratch = ScratchFolder.in(options.directory())) {
                    Parameters result = TurnProcess.run(
                            "append",
                            Parameters.of("peer", contestant.peer())
                                    .with("mode", contestant.mode())
                                    .with("dir", scratch.path())
                                    .with("size", size)
                                    .with("records", records)
                                    .with("seed", options.seed()));
                    figures.add(contestant.label(), result, FIGURES);
                }
            }
        }
        String what = size + " B, Muster over ";
        return new Outcome(
                figures,
                List.of(
                        ratio(figures, APPEND, CHRONICLE, 1.0, "append " + what + "Chronicle Queue"),
                        ratio(figures, APPEND, RAW_STREAM, ofRawWanted, "append " + what + "raw 64 KiB writes"),
                        ratio(figures, READ, CHRONICLE, 1.0, "read " + what + "Chronicle Queue")));
    }

    private static Target ratio(Figures figures, String name, Contestant base, double wanted, String title) {
        return Target.atLeast(wanted, title, figures.of(MUSTER.label(), name).over(figures.of(base.label(), name)));
    }
}
