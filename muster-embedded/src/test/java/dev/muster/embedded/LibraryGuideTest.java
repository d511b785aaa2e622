package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.embedded.admin.GroupRefusedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples of docs/library.md, and checks that the page and this class have the same text. */
class LibraryGuideTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path directory;

    private final ConcurrentMap<String, Integer> billed = new ConcurrentHashMap<>();

    private void bill(String order) {
        if (billed.merge(order, 1, Integer::sum) <= 3 && order.equals("lamp")) {
            throw new IllegalStateException("no lamp in stock");
        }
    }

    private boolean enough() {
        return billed.getOrDefault("lamp", 0) >= 3 && billed.size() == 3;
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void examplesOfTheGuideWork() {
        produce();
        try (Muster muster = Muster.open(directory)) {
            read(muster);
            billed.put("lamp", 3);
            group(muster);
            assertThat(billed).containsEntry("book", 1).containsKeys("pen", "lamp");
            billed.clear();
            handler(muster);
            assertThat(lettersIn(muster)).containsExactly("lamp");
            errors(muster);
        }
    }

    private void produce() {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().ensure("orders", topic -> topic.partitions(4).retention(Duration.ofDays(7)));
            try (Producer<String, String> orders = muster.producer("orders", Codec.STRING, Codec.STRING)) {
                orders.send("alice", "book");
                orders.send(Message.of("bob", "pen").withHeader("trace", new byte[] {1}));
                Position place = orders.send("alice", "lamp").join();
                System.out.println("acknowledged: " + place);
            }
        }
    }

    private static void read(Muster muster) {
        try (Reader<String, String> reader = muster.reader("orders")
                .keys(Codec.STRING)
                .values(Codec.STRING)
                .from(Start.earliest())
                .open()) {
            for (Received<String, String> order : reader.poll(Duration.ofSeconds(1))) {
                System.out.println(order.topicPartition() + "@" + order.offset() + " " + order.value());
            }
        }
    }

    private void group(Muster muster) {
        try (GroupConsumer<String, String> orders = muster.consumer("billing", "orders")
                .keys(Codec.STRING)
                .values(Codec.STRING)
                .open()) {
            while (!enough()) {
                for (Received<String, String> order : orders.poll(Duration.ofSeconds(10))) {
                    bill(order.value());
                }
                orders.commit();
            }
        }
    }

    private void handler(Muster muster) {
        try {
            HandlerOptions options =
                    HandlerOptions.DEFAULT.withRetries(2, Duration.ofMillis(10)).withDeadLetters("orders-failed");
            try (RunningConsumer billing = muster.consumer("handled", "orders")
                    .keys(Codec.STRING)
                    .values(Codec.STRING)
                    .run(options, order -> bill(order.value()))) {
                while (!enough()) {
                    billing.join(Duration.ofMillis(10));
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> lettersIn(Muster muster) {
        List<String> letters = new ArrayList<>();
        try (Reader<String, String> failed = muster.reader("orders-failed", Codec.STRING, Codec.STRING)) {
            while (letters.isEmpty()) {
                failed.poll(Duration.ofSeconds(1)).forEach(letter -> letters.add(letter.value()));
            }
        }
        return letters;
    }

    private static void errors(Muster muster) {
        try {
            muster.groups().lag("biling");
        } catch (GroupRefusedException e) {
            System.err.println(
                    e.getMessage() + e.hint().map(hint -> "; " + hint).orElse(""));
        }
    }

    @Test
    void everyExampleOfTheGuideIsInThisClass() throws Exception {
        String here = lines(Files.readString(Path.of("src/test/java/dev/muster/embedded/LibraryGuideTest.java")));
        List<String> examples = EXAMPLE.matcher(Files.readString(Path.of("../docs/library.md")))
                .results()
                .map(MatchResult::group)
                .map(example -> example.substring("```java\n".length(), example.length() - "```".length()))
                .toList();
        assertThat(examples).hasSize(5);
        assertThat(examples).allSatisfy(example -> assertThat(here).contains(lines(example)));
    }

    /** The text without white space: the page and the class break lines at different places. */
    private static String lines(String text) {
        return text.replaceAll("\\s+", "");
    }
}
