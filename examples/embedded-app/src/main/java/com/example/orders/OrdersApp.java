package com.example.orders;

import dev.muster.core.CompressionKind;
import dev.muster.core.CompressionUnavailableException;
import dev.muster.core.Header;
import dev.muster.core.SyncLevel;
import dev.muster.core.TopicPartition;
import dev.muster.embedded.Codec;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Message;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Position;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Received;
import dev.muster.store.TopicNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Opens a directory, makes a topic, sends, consumes in a group and prints what the group got. */
public final class OrdersApp {
    private static final List<String> THINGS = List.of("book", "pen", "lamp");

    private OrdersApp() {}

    /** Argument: the data directory; without it, a new folder for temporary files. */
    public static void main(String... args) throws IOException {
        Path directory = args.length > 0 ? Path.of(args[0]) : Files.createTempDirectory("orders");
        System.out.println("module: " + Muster.class.getModule());
        try (Muster muster = Muster.open(directory)) {
            muster.topics().ensure("orders", topic -> topic.partitions(2).sync(SyncLevel.COMMIT));
            send(muster);
            consume(muster);
            for (CompressionKind kind : CompressionKind.values()) {
                compress(muster, kind);
            }
            try {
                muster.topics().describe("bills");
            } catch (TopicNotFoundException e) {
                System.out.println("refused: " + e.getMessage());
            }
        }
    }

    private static void send(Muster muster) {
        try (Producer<String, String> orders = muster.producer("orders", Codec.STRING, Codec.STRING)) {
            for (String thing : THINGS) {
                Position place = orders.send(Message.of("alice", thing)
                                .withHeader("shop", "corner".getBytes(StandardCharsets.UTF_8)))
                        .join();
                System.out.println("sent: " + thing + " at " + place);
            }
        }
    }

    private static void consume(Muster muster) {
        try (GroupConsumer<String, String> billing = muster.consumer("billing", "orders")
                .keys(Codec.STRING)
                .values(Codec.STRING)
                .open()) {
            int count = 0;
            while (count < THINGS.size()) {
                for (Received<String, String> order : billing.poll(Duration.ofSeconds(10))) {
                    TopicPartition partition = order.topicPartition();
                    Header shop = order.headers().getFirst();
                    System.out.println("got: " + order.key() + " " + order.value() + " from " + partition + "@"
                            + order.offset() + ", " + shop.key() + "="
                            + new String(shop.value(), StandardCharsets.UTF_8));
                    count++;
                }
            }
            billing.commit();
        }
    }

    /** Sends one record with a compression, whose library may be missing. */
    private static void compress(Muster muster, CompressionKind kind) {
        String topic = "compressed-" + kind;
        muster.topics().ensure(topic, one -> one.partitions(1));
        try (Producer<String, String> producer = muster.producer(topic)
                .keys(Codec.STRING)
                .values(Codec.STRING)
                .compression(kind)
                .open()) {
            producer.send("alice", "book".repeat(1_000)).join();
            System.out.println("compression " + kind + ": works");
        } catch (CompressionUnavailableException e) {
            System.out.println("compression " + kind + ": " + e.getMessage() + "; "
                    + e.hint().orElse(""));
        }
    }
}
