package dev.muster.bench.turn;

import dev.muster.bench.measure.Ledger;
import dev.muster.bench.measure.Parameters;
import dev.muster.bench.measure.Payload;
import dev.muster.bench.measure.ScratchFolder;
import dev.muster.bench.peer.Mode;
import dev.muster.bench.peer.Peer;
import dev.muster.bench.peer.Sink;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/** Senders on one sink, each waiting until its record is durable. Afterwards all records are checked. */
public final class CommitTurn implements Turn {
    /** The work of one sender. */
    private record Sent(long records, Histogram latencies) {}

    @Override
    public Parameters run(Parameters parameters, Cue cue) throws Exception {
        Path directory = parameters.path("dir");
        long nanos = parameters.millis("millis").toNanos();
        try (ScratchFolder warmUp = ScratchFolder.in(directory)) {
            measure(parameters, warmUp.path(), nanos / 3);
        }
        try (ScratchFolder scratch = ScratchFolder.in(directory)) {
            return measure(parameters, scratch.path(), nanos);
        }
    }

    private static Parameters measure(Parameters parameters, Path directory, long nanos) throws Exception {
        Peer peer = Peer.named(parameters.text("peer"));
        Payload payload = new Payload(parameters.whole("seed"), parameters.integer("size"));
        peer.prepare(directory, Mode.DURABLE);
        List<Sent> sent = new ArrayList<>();
        double seconds;
        try (Sink sink = peer.sink(directory, Mode.DURABLE);
                ExecutorService threads = threads(parameters)) {
            long begin = System.nanoTime();
            List<Future<Sent>> senders = new ArrayList<>();
            for (int i = 0; i < parameters.integer("senders"); i++) {
                int writer = i;
                senders.add(threads.submit(() -> send(sink, payload, writer, begin + nanos)));
            }
            for (Future<Sent> sender : senders) {
                sent.add(sender.get());
            }
            seconds = (System.nanoTime() - begin) / 1e9;
        }
        Ledger.check(
                peer, directory, payload, sent.stream().mapToLong(Sent::records).toArray());
        return figures(sent, seconds);
    }

    private static ExecutorService threads(Parameters parameters) {
        return Boolean.parseBoolean(parameters.text("virtual"))
                ? Executors.newVirtualThreadPerTaskExecutor()
                : Executors.newFixedThreadPool(parameters.integer("senders"));
    }

    private static Sent send(Sink sink, Payload payload, int writer, long end) throws IOException {
        Histogram latencies = new Histogram(3);
        byte[] record = new byte[payload.size()];
        long count = 0;
        for (long begin = System.nanoTime(); begin < end; ) {
            payload.fill(record, writer, count++);
            sink.append(record);
            long now = System.nanoTime();
            latencies.recordValue(now - begin);
            begin = now;
        }
        return new Sent(count, latencies);
    }

    private static Parameters figures(List<Sent> sent, double seconds) {
        Histogram all = new Histogram(3);
        sent.forEach(it -> all.add(it.latencies()));
        return Parameters.of("append_per_s", all.getTotalCount() / seconds)
                .with("p50_us", all.getValueAtPercentile(50) / 1e3)
                .with("p99_us", all.getValueAtPercentile(99) / 1e3)
                .with("max_us", all.getMaxValue() / 1e3);
    }
}
