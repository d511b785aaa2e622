package dev.muster.bench.cases;

import dev.muster.bench.Parameters;
import dev.muster.bench.Payload;
import dev.muster.bench.Scratch;
import dev.muster.bench.Turn;
import dev.muster.bench.peer.Mode;
import dev.muster.bench.peer.Peer;
import dev.muster.bench.peer.Sink;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** One of several writer processes. It warms up on a queue of its own, then appends to the shared one. */
public final class ManyTurn implements Turn {
    /** Where appends take nanoseconds, the clock is read once for so many of them. */
    private static final int STREAM_LOOK_EVERY = 64;

    @Override
    public Parameters run(Parameters parameters, Cue cue) throws Exception {
        Peer peer = Peer.named(parameters.text("peer"));
        Mode mode = Mode.parse(parameters.text("mode"));
        int lookEvery = mode == Mode.STREAM ? STREAM_LOOK_EVERY : 1;
        Payload payload = new Payload(parameters.whole("seed"), parameters.integer("size"));
        int writer = parameters.integer("writer");
        long nanos = parameters.millis("millis").toNanos();
        try (Scratch warmUp = Scratch.in(parameters.path("warm-up"))) {
            peer.prepare(warmUp.path(), mode);
            append(peer.sink(warmUp.path(), mode), payload, writer, lookEvery, System.nanoTime(), nanos / 2);
        }
        Sink sink = peer.sink(parameters.path("dir"), mode);
        long start = cue.await().whole("at");
        while (System.nanoTime() < start) {
            LockSupport.parkNanos(start - System.nanoTime());
        }
        return append(sink, payload, writer, lookEvery, start, nanos);
    }

    /** Appends until the time is over and closes the sink: what it had collected is written within the timed part. */
    private static Parameters append(Sink sink, Payload payload, int writer, int lookEvery, long start, long nanos)
            throws IOException {
        byte[] record = new byte[payload.size()];
        long count = 0;
        long gap = 0;
        try (sink) {
            for (long last = start; last - start < nanos; ) {
                for (int i = 0; i < lookEvery; i++) {
                    payload.fill(record, writer, count++);
                    sink.append(record);
                }
                long now = System.nanoTime();
                gap = Math.max(gap, now - last);
                last = now;
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        return Parameters.of(
                "records",
                count,
                "append_per_s",
                count / seconds,
                "gap_ms",
                Math.max(gap, sink.longestGapNanos()) / 1e6);
    }
}
