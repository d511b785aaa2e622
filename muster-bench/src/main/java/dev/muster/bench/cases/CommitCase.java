package dev.muster.bench.cases;

import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import dev.muster.bench.measure.Parameters;
import dev.muster.bench.measure.ScratchFolder;
import dev.muster.bench.measure.Target;
import dev.muster.bench.turn.TurnProcess;
import java.io.IOException;
import java.util.List;

/** Every record survives power loss before its sender continues: one sender, and many senders that share syncs. */
final class CommitCase implements Case {
    private static final int MANY = 64;
    private static final String RATE = "append_per_s";

    /** A contestant and its number of senders. */
    private record Entry(String label, String peer, int senders, boolean virtual) {}

    private static final Entry RAW = new Entry("raw write + fdatasync, one sender", "raw", 1, false);
    private static final Entry ONE = new Entry("Muster, one sender", "muster", 1, false);
    private static final Entry PLATFORM = new Entry("Muster, 64 platform threads", "muster", MANY, false);
    private static final Entry VIRTUAL = new Entry("Muster, 64 virtual threads", "muster", MANY, true);
    private static final List<Entry> ENTRIES = List.of(RAW, ONE, PLATFORM, VIRTUAL);

    @Override
    public String name() {
        return "commit";
    }

    @Override
    public List<Outcome> run(Options options) throws IOException {
        Figures figures = new Figures("append 100 B at sync=commit, each acknowledged before the next");
        figures.order(ENTRIES.stream().map(Entry::label).toList());
        for (int repetition = 0; repetition < options.repetitions(); repetition++) {
            for (Entry entry : Case.turns(ENTRIES, repetition)) {
                try (ScratchFolder scratch = ScratchFolder.in(options.directory())) {
                    Parameters result = TurnProcess.run(
                            "commit",
                            Parameters.of("peer", entry.peer())
                                    .with("senders", entry.senders())
                                    .with("virtual", entry.virtual())
                                    .with("dir", scratch.path())
                                    .with("size", 100)
                                    .with("seed", options.seed())
                                    .with("millis", options.quick() ? 1500 : 4000));
                    figures.add(entry.label(), result, List.of(RATE, "p50_us", "p99_us", "max_us"));
                }
            }
        }
        return List.of(new Outcome(
                figures,
                List.of(
                        ratio(figures, ONE, RAW, 0.8, "commit, one sender over raw write + fdatasync"),
                        ratio(figures, PLATFORM, ONE, 20, "commit, 64 senders over one (platform threads)"),
                        ratio(figures, VIRTUAL, ONE, 20, "commit, 64 senders over one (virtual threads)"))));
    }

    private static Target ratio(Figures figures, Entry entry, Entry base, double wanted, String title) {
        return Target.atLeast(wanted, title, figures.of(entry.label(), RATE).over(figures.of(base.label(), RATE)));
    }
}
