package dev.muster.bench.cases;

import dev.muster.bench.Ledger;
import dev.muster.bench.Parameters;
import dev.muster.bench.Payload;
import dev.muster.bench.Scratch;
import dev.muster.bench.Turn;
import dev.muster.bench.peer.Mode;
import dev.muster.bench.peer.Peer;
import dev.muster.bench.peer.Sink;
import dev.muster.bench.peer.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Appends a number of records, checks them, reads them back; all of it once before, smaller, to warm up. */
public final class AppendTurn implements Turn {
    /** The part of the records that the warm-up appends. */
    private static final int WARM_UP_PART = 4;

    @Override
    public Parameters run(Parameters parameters, Cue cue) throws IOException {
        Peer peer = Peer.named(parameters.text("peer"));
        Mode mode = Mode.parse(parameters.text("mode"));
        Payload payload = new Payload(parameters.whole("seed"), parameters.integer("size"));
        Path directory = parameters.path("dir");
        long records = parameters.whole("records");
        try (Scratch scratch = Scratch.in(directory)) {
            measure(peer, mode, payload, scratch.path(), records / WARM_UP_PART);
        }
        try (Scratch scratch = Scratch.in(directory)) {
            return measure(peer, mode, payload, scratch.path(), records);
        }
    }

    private static Parameters measure(Peer peer, Mode mode, Payload payload, Path directory, long records)
            throws IOException {
        peer.prepare(directory, mode);
        double appendSeconds = append(peer, mode, payload, directory, records);
        // The whole content is checked outside the timed part: there it would cost each contestant the same, and so
        // draw all ratios towards one.
        Ledger.check(peer, directory, payload, records);
        double readSeconds = read(peer, payload, directory, records);
        double megabytes = records * payload.size() / 1e6;
        return Parameters.of(
                "append_per_s", records / appendSeconds,
                "append_mb_per_s", megabytes / appendSeconds,
                "read_per_s", records / readSeconds,
                "read_mb_per_s", megabytes / readSeconds,
                "disk_bytes_per_record", bytesOnDisk(directory) / (double) records);
    }

    /** Opening is outside the timed part, closing inside: a queue that only collects would look free otherwise. */
    private static double append(Peer peer, Mode mode, Payload payload, Path directory, long records)
            throws IOException {
        byte[] record = new byte[payload.size()];
        long begin;
        try (Sink sink = peer.sink(directory, mode)) {
            begin = System.nanoTime();
            for (long number = 0; number < records; number++) {
                payload.fill(record, 0, number);
                sink.append(record);
            }
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    private static double read(Peer peer, Payload payload, Path directory, long records) throws IOException {
        long begin = System.nanoTime();
        long count = 0;
        try (Source source = peer.source(directory, payload.size())) {
            for (byte[] record = source.next(); record != null; record = source.next()) {
                if (record.length != payload.size() || Payload.number(record) != count++) {
                    throw new IllegalStateException("wrong record at " + (count - 1));
                }
            }
        }
        if (count != records) {
            throw new IllegalStateException("appended " + records + " records, read " + count);
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    /** Allocated blocks: a file with a hole at its end is not large. */
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
