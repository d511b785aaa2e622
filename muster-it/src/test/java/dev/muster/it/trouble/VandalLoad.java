package dev.muster.it.trouble;

import dev.muster.core.MusterException;
import dev.muster.embedded.Codec;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Message;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Position;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Reader;
import dev.muster.embedded.Received;
import dev.muster.embedded.Start;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;

/**
 * A process of the load under which a {@link Vandal} works. It prints its actions to stdout, a line each, and continues
 * after every error:
 *
 * <pre>
 *   acked TOPIC PARTITION OFFSET ID      a writer: the record with this id was acknowledged there
 *   got TOPIC PARTITION OFFSET ID        a member: the group delivered this record
 *   generation N                         a member: it was assigned partitions in this generation
 *   read COUNT                           a reader: so many records were right
 *   wrong TEXT                           a record that nothing wrote, or two records at one offset
 *   trouble CLASS: TEXT                  an error of Muster; the process opens the directory again
 *   bug TEXT                             anything else
 * </pre>
 */
public final class VandalLoad {
    private static final long PAUSE_NANOS = 20_000_000;

    private final Path data;
    private final String name;
    private final Map<String, String> seen = new HashMap<>();
    private long next;
    private long read;

    private VandalLoad(Path data, String name) {
        this.data = data;
        this.name = name;
    }

    /** Arguments: the directory, {@code writer}, {@code reader} or {@code member}, a name, topics. */
    public static void main(String... args) {
        VandalLoad load = new VandalLoad(Path.of(args[0]), args[2]);
        List<String> topics = List.of(args).subList(3, args.length);
        while (true) {
            try (Muster muster = Muster.open(load.data)) {
                switch (args[1]) {
                    case "writer" -> load.write(muster, topics);
                    case "reader" -> load.read(muster, topics);
                    case "member" -> load.consume(muster, topics);
                    default -> throw new IllegalArgumentException(args[1]);
                }
            } catch (MusterException e) {
                say("trouble " + e.getClass().getSimpleName() + ": " + e.getMessage());
            } catch (CompletionException e) {
                say((e.getCause() instanceof MusterException ? "trouble " : "bug ")
                        + e.getCause().getClass().getSimpleName() + ": "
                        + e.getCause().getMessage());
            } catch (RuntimeException | Error e) {
                say("bug " + e);
                e.printStackTrace();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static void say(String line) {
        System.out.println(line.replace('\n', ' '));
        System.out.flush();
    }

    /** A value with its writer and number, and a checksum of all bytes. */
    static String value(String writer, long number) {
        String id = writer + "-" + number;
        CRC32 crc = new CRC32();
        crc.update(id.getBytes(StandardCharsets.UTF_8));
        String tail = Long.toHexString(crc.getValue());
        return id + " " + tail.repeat(1 + (int) (number % 40));
    }

    /** The id of a value; empty if {@link #value} did not make it. */
    static String id(String value) {
        int space = value == null ? -1 : value.indexOf(' ');
        int dash = space < 0 ? -1 : value.lastIndexOf('-', space);
        if (dash < 0) {
            return "";
        }
        try {
            String id = value.substring(0, space);
            long number = Long.parseLong(value.substring(dash + 1, space));
            return value(value.substring(0, dash), number).equals(value) ? id : "";
        } catch (NumberFormatException e) {
            return "";
        }
    }

    private void write(Muster muster, List<String> topics) {
        List<Producer<String, String>> producers = new ArrayList<>();
        for (String topic : topics) {
            producers.add(muster.producer(topic)
                    .keys(Codec.STRING)
                    .values(Codec.STRING)
                    .deliveryTimeout(Duration.ofSeconds(10))
                    .open());
        }
        while (true) {
            for (Producer<String, String> producer : producers) {
                List<CompletableFuture<Position>> sent = new ArrayList<>();
                List<String> ids = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    long number = next++;
                    ids.add(name + "-" + number);
                    sent.add(producer.send(Message.of("key-" + number % 16, value(name, number))));
                }
                CompletionException failure = null;
                for (int i = 0; i < sent.size(); i++) {
                    try {
                        Position place = sent.get(i).join();
                        say("acked " + place.topic() + " " + place.partition() + " " + place.offset() + " "
                                + ids.get(i));
                    } catch (CompletionException e) {
                        failure = e;
                    }
                }
                if (failure != null) {
                    throw failure;
                }
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void read(Muster muster, List<String> topics) {
        try (Reader<String, String> reader = muster.reader(topics.toArray(String[]::new))
                .keys(Codec.STRING)
                .values(Codec.STRING)
                .from(Start.earliest())
                .open()) {
            while (true) {
                List<Received<String, String>> records = reader.poll(Duration.ofSeconds(1));
                for (Received<String, String> record : records) {
                    check(record);
                }
                read += records.size();
                say("read " + read);
                if (records.isEmpty() || read % 10 == 0) {
                    // Sometimes it starts from the beginning, to read old records again.
                    reader.seekToStart();
                }
            }
        }
    }

    private String check(Received<String, String> record) {
        String id = id(record.value());
        String place = record.topic() + " " + record.partition() + " " + record.offset();
        if (id.isEmpty()) {
            say("wrong no writer made the record at " + place + ": " + record.value());
        }
        String before = seen.put(place, id);
        if (before != null && !before.equals(id)) {
            say("wrong two records at " + place + ": " + before + " and " + id);
        }
        return id;
    }

    private void consume(Muster muster, List<String> topics) {
        long generation = -1;
        try (GroupConsumer<String, String> consumer = muster.consumer(name, topics.toArray(String[]::new))
                .keys(Codec.STRING)
                .values(Codec.STRING)
                .session(Duration.ofSeconds(10))
                .commitByHand()
                .open()) {
            while (true) {
                List<Received<String, String>> records = consumer.poll(Duration.ofSeconds(1));
                for (Received<String, String> record : records) {
                    say("got " + record.topic() + " " + record.partition() + " " + record.offset() + " "
                            + check(record));
                }
                if (!records.isEmpty()) {
                    consumer.commit();
                }
                if (consumer.assignment().generation() != generation) {
                    generation = consumer.assignment().generation();
                    say("generation " + generation);
                }
            }
        }
    }
}
