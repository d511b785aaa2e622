package dev.muster.bench.cases;

import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import dev.muster.bench.measure.Parameters;
import dev.muster.bench.measure.ScratchFolder;
import dev.muster.bench.measure.Target;
import dev.muster.bench.peer.Mode;
import dev.muster.bench.peer.Peer;
import dev.muster.bench.turn.TurnProcess;
import java.io.IOException;
import java.util.List;

/**
 * Sends a record from time to time to a reader in another process, which waits without using the processor. Measures
 * the time from just before {@code send} until {@code poll} has returned it, and the processor time of the waiting.
 */
final class WakeCase implements Case {
    private static final String P50 = "p50_us";
    private static final String FLOOR = "raw_sync_p50_us";
    private static final double WAKE_MICROS_WANTED = 100;

    @Override
    public String name() {
        return "wake";
    }

    @Override
    public List<Outcome> run(Options options) throws IOException {
        Figures figures = new Figures("wake a parked reader in another process, one way, 100 B");
        for (int repetition = 0; repetition < options.repetitions(); repetition++) {
            round(options, figures, Mode.EACH, "sync=os");
            round(options, figures, Mode.DURABLE, "sync=commit");
        }
        double floor = figures.of("sync=commit", FLOOR).median();
        return List.of(new Outcome(
                figures,
                List.of(
                        Target.atMost(WAKE_MICROS_WANTED, "µs", "wake at sync=os, p50", figures.of("sync=os", P50)),
                        Target.atMost(
                                floor + WAKE_MICROS_WANTED,
                                "µs",
                                "wake at sync=commit, p50 (raw write + fdatasync, + 100 µs)",
                                figures.of("sync=commit", P50)))));
    }

    private static void round(Options options, Figures figures, Mode mode, String row) throws IOException {
        try (ScratchFolder scratch = ScratchFolder.in(options.directory())) {
            Parameters common = Parameters.of("mode", mode)
                    .with("dir", scratch.path().resolve("queue"))
                    .with("raw", scratch.path().resolve("raw"))
                    .with("size", 100)
                    .with("seed", options.seed())
                    .with("records", options.quick() ? 500 : 2000)
                    .with("warm-up", options.quick() ? 5000 : 20_000)
                    .with("silence", options.quick() ? 3000 : 5000);
            Peer.named("muster").prepare(common.path("dir"), mode);
            try (TurnProcess reader = TurnProcess.start("wake-reader", common);
                    TurnProcess writer = TurnProcess.start("wake-writer", common)) {
                reader.awaitReady();
                writer.awaitReady();
                reader.tell(Parameters.NONE);
                writer.tell(Parameters.NONE);
                figures.add(row, reader.result(), List.of(P50, "p90_us", "p99_us", "max_us", "idle_cpu_ms_per_s"));
                writer.tell(Parameters.NONE);
                Parameters floor = writer.result();
                if (mode == Mode.DURABLE) {
                    figures.add(row, floor, List.of(FLOOR));
                }
            }
        }
    }
}
