package dev.muster.bench.turn;

import dev.muster.bench.measure.Ledger;
import dev.muster.bench.measure.Parameters;
import dev.muster.bench.measure.Payload;
import dev.muster.bench.measure.ProcessorTime;
import dev.muster.bench.measure.ScratchFolder;
import dev.muster.bench.peer.Mode;
import dev.muster.bench.peer.Peer;
import dev.muster.bench.peer.Sink;
import dev.muster.bench.peer.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Appends a number of records, checks them, and reads them back. A smaller run comes before, to warm up. */
public final class AppendTurn implements Turn {
    /** Enough records for the compiler, for any size. */
    private static final long WARM_UP_RECORDS = 400_000;

    /** The time of some work, and the processor time of this process, including helper threads. */
    private record Cost(double seconds, double processorSeconds) {}

    private record Meter(long nanos, long processorNanos) {
        static Meter start() {
            return new Meter(System.nanoTime(), ProcessorTime.coarseNanos());
        }

        Cost stop() {
            return new Cost((System.nanoTime() - nanos) / 1e9, (ProcessorTime.coarseNanos() - processorNanos) / 1e9);
        }
    }

    @Override
    public Parameters run(Parameters parameters, Cue cue) throws IOException {
        Peer peer = Peer.named(parameters.text("peer"));
        Mode mode = Mode.parse(parameters.text("mode"));
        Payload payload = new Payload(parameters.whole("seed"), parameters.integer("size"));
        Path directory = parameters.path("dir");
        long records = parameters.whole("records");
        try (ScratchFolder scratch = ScratchFolder.in(directory)) {
            measure(peer, mode, payload, scratch.path(), Math.min(records, WARM_UP_RECORDS));
        }
        try (ScratchFolder scratch = ScratchFolder.in(directory)) {
            return measure(peer, mode, payload, scratch.path(), records);
        }
    }

    private static Parameters measure(Peer peer, Mode mode, Payload payload, Path directory, long records)
            throws IOException {
        peer.prepare(directory, mode);
        Cost append = append(peer, mode, payload, directory, records);
        // The content is checked outside the timed part. There it would cost each contestant the same, and bring all
        // ratios closer to one.
        Ledger.check(peer, directory, payload, records);
        Cost read = read(peer, payload, directory, records);
        double megabytes = records * payload.size() / 1e6;
        return Parameters.of("append_per_s", records / append.seconds())
                .with("append_mb_per_s", megabytes / append.seconds())
                .with("append_cpu_ns", append.processorSeconds() * 1e9 / records)
                .with("read_per_s", records / read.seconds())
                .with("read_mb_per_s", megabytes / read.seconds())
                .with("read_cpu_ns", read.processorSeconds() * 1e9 / records)
                .with("disk_bytes_per_record", bytesOnDisk(directory) / (double) records);
    }

    /** Opening is not timed, closing is: otherwise a queue that only collects records would look free. */
    private static Cost append(Peer peer, Mode mode, Payload payload, Path directory, long records) throws IOException {
        byte[] record = new byte[payload.size()];
        Meter meter;
        try (Sink sink = peer.sink(directory, mode)) {
            meter = Meter.start();
            for (long number = 0; number < records; number++) {
                payload.fill(record, 0, number);
                sink.append(record);
            }
        }
        return meter.stop();
    }

    private static Cost read(Peer peer, Payload payload, Path directory, long records) throws IOException {
        Meter meter = Meter.start();
        long count = 0;
        try (Source source = peer.source(directory, payload.size())) {
            for (byte[] record = source.next(); record != null; record = source.next()) {
                if (record.length != payload.size() || Payload.number(record) != count++) {
                    throw new IllegalStateException("wrong record at " + (count - 1));
                }
            }
        }
        Cost cost = meter.stop();
        if (count != records) {
            throw new IllegalStateException("appended " + records + " records, read " + count);
        }
        return cost;
    }

    /** The allocated blocks, because a file may end with a hole. */
    private static long bytesOnDisk(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            long bytes = 0;
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                bytes += allocated(file);
            }
            return bytes;
        }
    }

    private static long allocated(Path file) throws IOException {
        Process du = new ProcessBuilder("du", "-k", file.toString()).start();
        try (var lines = du.inputReader()) {
            String line = lines.readLine();
            return line == null ? Files.size(file) : Long.parseLong(line.split("\\s")[0]) << 10;
        }
    }
}
