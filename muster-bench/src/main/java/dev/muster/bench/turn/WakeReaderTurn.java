package dev.muster.bench.turn;

import dev.muster.bench.measure.Parameters;
import dev.muster.bench.measure.Payload;
import dev.muster.bench.measure.ProcessorTime;
import dev.muster.bench.peer.MusterPeer;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Reader;
import dev.muster.embedded.Received;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The reader that waits. {@code System.nanoTime} is one clock for all processes of a Linux machine. */
public final class WakeReaderTurn implements Turn {
    private static final Duration GIVE_UP = Duration.ofSeconds(30);

    @Override
    public Parameters run(Parameters parameters, Cue cue) throws Exception {
        int warmUp = parameters.integer("warm-up");
        int records = warmUp + parameters.integer("records");
        Histogram latencies = new Histogram(3);
        try (Muster muster = Muster.open(parameters.path("dir"));
                Reader<byte[], byte[]> reader = muster.reader(MusterPeer.TOPIC).open()) {
            cue.await();
            for (int next = 0; next < records; ) {
                List<Received<byte[], byte[]>> polled = reader.poll(GIVE_UP);
                long now = System.nanoTime();
                if (polled.isEmpty()) {
                    throw new IllegalStateException("waited " + GIVE_UP + " for record " + next);
                }
                for (Received<byte[], byte[]> received : polled) {
                    if (Payload.number(received.value()) != next) {
                        throw new IllegalStateException(
                                "record " + Payload.number(received.value()) + " where " + next + " belongs");
                    }
                    if (next++ >= warmUp) {
                        latencies.recordValue(Math.max(0, now - Payload.stamp(received.value())));
                    }
                }
            }
            return Parameters.of("p50_us", latencies.getValueAtPercentile(50) / 1e3)
                    .with("p90_us", latencies.getValueAtPercentile(90) / 1e3)
                    .with("p99_us", latencies.getValueAtPercentile(99) / 1e3)
                    .with("max_us", latencies.getMaxValue() / 1e3)
                    .with("idle_cpu_ms_per_s", idleMillisPerSecond(reader, parameters.millis("silence")));
        }
    }

    /** The processor time of this process while its reader waits without records and the writer's process is alive. */
    private static double idleMillisPerSecond(Reader<byte[], byte[]> reader, Duration silence) throws IOException {
        long begin = System.nanoTime();
        long before = ProcessorTime.nanos();
        if (!reader.poll(silence).isEmpty()) {
            throw new IllegalStateException("a record of no writer");
        }
        long used = ProcessorTime.nanos() - before;
        return used / 1e6 / ((System.nanoTime() - begin) / 1e9);
    }
}
