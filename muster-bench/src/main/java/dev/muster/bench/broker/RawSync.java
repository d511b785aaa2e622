package dev.muster.bench.broker;

import dev.muster.bench.peer.Mode;
import dev.muster.bench.peer.Peer;
import dev.muster.bench.peer.Sink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** The time of one sync on this disk, without a server: a small write and {@code fdatasync}, from time to time. */
public final class RawSync {
    private static final int TIMES = 300;
    private static final int SIZE = 100;
    private static final long PAUSE_NANOS = 1_000_000;

    private RawSync() {}

    /** @return the nanoseconds of each sync */
    public static Histogram measure(Path folder) throws IOException {
        Histogram times = new Histogram(3);
        byte[] record = new byte[SIZE];
        Path raw = Files.createTempDirectory(folder, "raw-");
        try (Sink sink = Peer.named("raw").sink(raw, Mode.DURABLE)) {
            for (int i = 0; i < TIMES; i++) {
                LockSupport.parkNanos(PAUSE_NANOS);
                long begin = System.nanoTime();
                sink.append(record);
                times.recordValue(System.nanoTime() - begin);
            }
        }
        return times;
    }
}
