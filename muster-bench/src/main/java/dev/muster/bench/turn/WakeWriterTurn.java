package dev.muster.bench.turn;

import dev.muster.bench.measure.Parameters;
import dev.muster.bench.measure.Payload;
import dev.muster.bench.peer.Mode;
import dev.muster.bench.peer.Peer;
import dev.muster.bench.peer.Sink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Sends a record every few milliseconds, at irregular times. At {@code sync=commit} a bare write and {@code fdatasync}
 * of as many bytes comes before each record, after a pause. That is the lower limit, measured at the same time.
 */
public final class WakeWriterTurn implements Turn {
    /** Long enough for the reader to wait again, so that waiting and waking are compiled too. */
    private static final long WARM_UP_PAUSE_NANOS = 100_000;

    private static final long PAUSE_NANOS_MIN = 2_000_000;
    private static final int PAUSE_NANOS_SPREAD = 4_000_000;

    @Override
    public Parameters run(Parameters parameters, Cue cue) throws Exception {
        Mode mode = Mode.parse(parameters.text("mode"));
        Payload payload = new Payload(parameters.whole("seed"), parameters.integer("size"));
        Path raw = Files.createDirectories(parameters.path("raw"));
        Histogram floor = new Histogram(3);
        try (Sink sink = Peer.named("muster").sink(parameters.path("dir"), mode);
                Sink bare = Peer.named("raw").sink(raw, mode)) {
            cue.await();
            Random random = new Random(parameters.whole("seed"));
            int warmUp = parameters.integer("warm-up");
            byte[] record = new byte[payload.size()];
            for (int number = 0; number < warmUp + parameters.integer("records"); number++) {
                boolean warm = number >= warmUp;
                payload.fill(record, 0, number);
                if (mode == Mode.DURABLE) {
                    pause(warm ? longPause(random) : WARM_UP_PAUSE_NANOS);
                    long nanos = nanosOf(bare, record);
                    if (warm) {
                        floor.recordValue(nanos);
                    }
                }
                pause(warm ? longPause(random) : WARM_UP_PAUSE_NANOS);
                Payload.stamp(record, System.nanoTime());
                sink.append(record);
            }
            // Stays alive until the reader has measured the silence, which includes an idle writer.
            cue.await();
            return Parameters.of("raw_sync_p50_us", floor.getValueAtPercentile(50) / 1e3);
        }
    }

    private static long nanosOf(Sink bare, byte[] record) throws IOException {
        long begin = System.nanoTime();
        bare.append(record);
        return System.nanoTime() - begin;
    }

    private static long longPause(Random random) {
        return PAUSE_NANOS_MIN + random.nextInt(PAUSE_NANOS_SPREAD);
    }

    private static void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
