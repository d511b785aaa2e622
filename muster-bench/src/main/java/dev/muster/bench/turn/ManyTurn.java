package dev.muster.bench.turn;

import dev.muster.bench.measure.Parameters;
import dev.muster.bench.measure.Payload;
import dev.muster.bench.measure.ProcessorTime;
import dev.muster.bench.peer.Mode;
import dev.muster.bench.peer.Peer;
import dev.muster.bench.peer.Sink;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** One of several writer processes. It warms up, waits for its cue, and appends. */
public final class ManyTurn implements Turn {
    /** If appends take nanoseconds, the clock is read once for this number of appends. */
    private static final int STREAM_LOOK_EVERY = 64;

    private static final int WARM_UP_LOOK_EVERY = 1024;
    /** A limit for simple code, which is compiled long before it has filled a disk. */
    private static final long WARM_UP_RECORDS_MAX = 10_000_000;

    @Override
    public Parameters run(Parameters parameters, Cue cue) throws Exception {
        Peer peer = Peer.named(parameters.text("peer"));
        Mode mode = Mode.parse(parameters.text("mode"));
        int lookEvery = mode == Mode.STREAM ? STREAM_LOOK_EVERY : 1;
        Payload payload = new Payload(parameters.whole("seed"), parameters.integer("size"));
        int writer = parameters.integer("writer");
        long nanos = parameters.millis("millis").toNanos();
        warmUp(parameters, peer.sink(parameters.path("warm-up"), mode), payload, writer);
        Sink sink = peer.sink(parameters.path("dir"), mode);
        long start = cue.await().whole("at");
        while (System.nanoTime() < start) {
            LockSupport.parkNanos(start - System.nanoTime());
        }
        return append(sink, payload, writer, lookEvery, start, nanos);
    }

    /**
     * Warms up together with the other writers, on a queue of their own, so that their interaction is compiled too.
     * Ends after a fixed processor time: the real time depends on the number of processes on the machine.
     */
    private static void warmUp(Parameters parameters, Sink sink, Payload payload, int writer) throws IOException {
        byte[] record = new byte[payload.size()];
        long end = ProcessorTime.coarseNanos()
                + parameters.millis("warm-up-cpu-millis").toNanos();
        try (sink) {
            for (long count = 0; count < WARM_UP_RECORDS_MAX; count++) {
                payload.fill(record, writer, count);
                sink.append(record);
                if (count % WARM_UP_LOOK_EVERY == 0 && ProcessorTime.coarseNanos() >= end) {
                    return;
                }
            }
        }
    }

    /** Appends until the time is over, and closes the sink: its collected records are written within the timed part. */
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
        return Parameters.of("records", count)
                .with("append_per_s", count / seconds)
                .with("gap_ms", Math.max(gap, sink.longestGapNanos()) / 1e6);
    }
}
