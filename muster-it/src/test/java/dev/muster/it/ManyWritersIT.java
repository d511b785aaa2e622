package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.SyncLevel;
import dev.muster.core.TopicSettings;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Reader;
import dev.muster.embedded.Received;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Four processes append to one partition at once: each record exists once, in its writer's order. */
@Tag("figures")
class ManyWritersIT {
    private static final int WRITERS = 4;
    private static final int RECORDS = Integer.getInteger("muster.records", 100_000);
    private static final long GAP_MAX_MS = 1000;
    private static final String PROGRESS = "another";
    private static final int PROGRESS_RECORDS = 1000;

    @TempDir
    Path directory;

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void fourProcessesShareOnePartition() throws Exception {
        run(SyncLevel.COMMIT, false);
    }

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void aRandomlySuspendedProcessDelaysNoOther() throws Exception {
        run(SyncLevel.OS, true);
    }

    private void run(SyncLevel level, boolean stopping) throws Exception {
        Path data = directory.resolve("data");
        try (Muster muster = Muster.open(data)) {
            muster.topics().create("t", 1, TopicSettings.DEFAULT.withSync(level));
            List<Child> writers = new ArrayList<>();
            try {
                for (int i = 0; i < WRITERS; i++) {
                    writers.add(Child.start(Writer.class, data, i, RECORDS, stopping));
                }
                for (Child writer : writers) {
                    assertThat(writer.readLine()).isEqualTo("ready");
                }
                List<OutputLines> words = new ArrayList<>();
                for (Child writer : writers) {
                    words.add(OutputLines.of(writer));
                }
                int stops = 0;
                if (stopping) {
                    stops = goAndStopOne(writers, words);
                } else {
                    go(writers);
                }
                long worst = 0;
                for (int i = 0; i < WRITERS; i++) {
                    String[] said = words.get(i).awaitEnd().getLast().split(" ");
                    assertThat(Long.parseLong(said[0]))
                            .as("acknowledged to writer " + i)
                            .isEqualTo(RECORDS);
                    if (!stopping || i > 0) {
                        worst = Math.max(worst, Long.parseLong(said[1]));
                    }
                    assertThat(writers.get(i).await()).isZero();
                }
                System.out.printf(
                        "%d processes, sync=%s, %d records, %d stops: longest gap of a process never stopped %d ms%n",
                        WRITERS, level, (long) WRITERS * RECORDS, stops, worst);
                if (stopping) {
                    Figures.assertBelow("longest gap in ms", (double) worst, GAP_MAX_MS);
                }
            } finally {
                for (Child writer : writers) {
                    writer.close();
                }
            }
            verify(muster);
        }
    }

    private static void go(List<Child> writers) throws IOException {
        for (Child writer : writers) {
            writer.tell("go");
        }
    }

    /** Stops one writer for random times until it is done. The others continue meanwhile. */
    private static int goAndStopOne(List<Child> writers, List<OutputLines> words)
            throws IOException, InterruptedException {
        Random random = Rounds.random("ManyWritersIT");
        Child victim = writers.getFirst();
        victim.tell("go");
        assertThat(words.getFirst().awaitMore(0, line -> line.startsWith(PROGRESS), 1))
                .as("the one to be stopped has begun")
                .isTrue();
        int stops = 0;
        do {
            victim.stop();
            long stopped = System.nanoTime();
            List<OutputLines> others = words.subList(1, WRITERS);
            // Counted for all now: while we wait for one writer, another may end.
            List<Integer> heard = others.stream().map(OutputLines::count).toList();
            if (stops == 0) {
                // The others start only now, so that they still have work while the first one is stopped.
                go(writers.subList(1, WRITERS));
            }
            for (int i = 0; i < others.size(); i++) {
                boolean wentOn = others.get(i).awaitMore(heard.get(i), line -> isSentAfter(stopped, line), 1);
                // In later rounds the others may be done.
                assertThat(wentOn || stops > 0)
                        .as("another one goes on while one is stopped")
                        .isTrue();
            }
            stops++;
            Rounds.letTimePass(100 + random.nextInt(400));
            victim.cont();
            Rounds.letTimePass(20 + random.nextInt(100));
        } while (stops < 8 && victim.isAlive());
        return stops;
    }

    /** The clock is the same for all processes. */
    private static boolean isSentAfter(long instant, String line) {
        return line.startsWith(PROGRESS) && Long.parseLong(line.split(" ")[1]) - instant > 0;
    }

    private static void verify(Muster muster) {
        long[] next = new long[WRITERS];
        long expected = 0;
        try (Reader<byte[], byte[]> reader = muster.reader("t", Codec.BYTES, Codec.BYTES)) {
            while (!reader.atEnd()) {
                for (Received<byte[], byte[]> record : reader.poll(Duration.ofSeconds(1))) {
                    assertThat(record.offset()).isEqualTo(expected++);
                    NumberedRecords.Numbered numbered = NumberedRecords.check(record.offset(), record.value());
                    assertThat(numbered.number()).isEqualTo(next[numbered.writer()]++);
                }
            }
        }
        assertThat(expected).isEqualTo((long) WRITERS * RECORDS);
        assertThat(next).containsOnly(RECORDS);
    }

    /**
     * One of the processes. Prints the number of acknowledged records and the send time of the last one, periodically.
     * At the end it prints the total, and the longest time between two acknowledgements.
     */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws Exception {
            int id = Integer.parseInt(args[1]);
            int records = Integer.parseInt(args[2]);
            // The others must still be busy while one writer is stopped, so they pause between records.
            long pauseNanos = Boolean.parseBoolean(args[3]) ? 3_000_000_000L / records : 0;
            int each = Math.min(PROGRESS_RECORDS, records);
            AtomicLong acknowledged = new AtomicLong();
            AtomicLong last = new AtomicLong();
            AtomicLong longest = new AtomicLong();
            try (Muster muster = Muster.open(Path.of(args[0]));
                    Producer<byte[], byte[]> producer = muster.producer("t", Codec.BYTES, Codec.BYTES)) {
                System.out.println("ready");
                if (System.in.read() < 0) {
                    return;
                }
                last.set(System.nanoTime());
                long begin = System.nanoTime();
                for (int i = 0; i < records; i++) {
                    long sent = System.nanoTime();
                    producer.send(NumberedRecords.value(id, i, 100)).thenRun(() -> {
                        long now = System.nanoTime();
                        longest.accumulateAndGet(now - last.getAndSet(now), Math::max);
                        if (acknowledged.incrementAndGet() % each == 0) {
                            System.out.println(PROGRESS + " " + sent);
                        }
                    });
                    while (System.nanoTime() - begin < i * pauseNanos) {
                        Thread.onSpinWait();
                    }
                }
                producer.flush();
            }
            System.out.println(acknowledged + " " + TimeUnit.NANOSECONDS.toMillis(longest.get()));
        }
    }
}
