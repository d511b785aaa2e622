package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of a data directory that a user or a cleaner removes or replaces under running commands. */
class VanishedFilesTrialIT {
    private static final Pattern STABLE =
            Pattern.compile("\"state\":\"Stable\",\"generation\":(\\d+),\"memberCount\":2,.*\"unownedCount\":0,");

    @TempDir
    Path scratch;

    @Test
    void aProducerFailsWhenItsDirectoryWasRemoved() throws Exception {
        MusterCommand muster = MusterCommand.on(scratch.resolve("data"));
        try (MusterCommand.Running producer = muster.start("produce", "orders", "-o", "jsonl")) {
            producer.type("a");
            producer.out().await(line -> line.contains("\"offset\":0"));
            removeAll(scratch.resolve("data"));
            producer.type("b");
            producer.endInput();
            MusterCommand.Result result = producer.await();
            assertThat(result.exit()).isEqualTo(1);
            assertThat(result.out()).hasSize(1);
            assertThat(result.errors()).contains("was removed while it was in use");
        }
    }

    @Test
    void recordsAcknowledgedAfterASegmentsRemovalAreReadable() throws Exception {
        MusterCommand muster = MusterCommand.on(scratch.resolve("data"));
        try (MusterCommand.Running producer = muster.start("produce", "orders", "-o", "jsonl")) {
            producer.type("a");
            producer.out().await(line -> line.contains("\"offset\":0"));
            Files.delete(find(".log"));
            producer.type("b");
            producer.endInput();
            MusterCommand.Result result = producer.await();
            assertThat(result.exit()).isEqualTo(1);
            assertThat(result.out()).hasSize(1);
            assertThat(result.errors()).contains(".log was removed while it was in use");
        }
        assertThat(muster.runWithInput("c\n", "produce", "orders").exit()).isZero();
        MusterCommand.Result read = muster.run("consume", "orders", "--exit");
        assertThat(read.out()).containsExactly("c");
        assertThat(read.errors()).contains("damaged log", "offsets 0 to");
    }

    @Test
    void aConsumerContinuesAfterTheControlPageWasDeleted() throws Exception {
        MusterCommand muster = MusterCommand.on(scratch.resolve("data"));
        assertThat(muster.runWithInput("a\n", "produce", "orders").exit()).isZero();
        try (MusterCommand.Running consumer = muster.start("consume", "orders")) {
            consumer.out().await("a"::equals);
            for (Path page : controlPages()) {
                Files.deleteIfExists(page);
            }
            assertThat(muster.runWithInput("b\n", "produce", "orders").exit()).isZero();
            consumer.out().await("b"::equals);
            assertThat(muster.runWithInput("c\n", "produce", "orders").exit()).isZero();
            consumer.out().await("c"::equals);
            assertThat(consumer.out().lines()).containsExactly("a", "b", "c");
        }
    }

    @Test
    void aRestoredOldControlPageHidesNoRecord() throws Exception {
        MusterCommand muster = MusterCommand.on(scratch.resolve("data"));
        assertThat(muster.runWithInput("a\n", "produce", "orders").exit()).isZero();
        for (Path page : controlPages()) {
            Files.copy(page, page.resolveSibling("copy"), StandardCopyOption.COPY_ATTRIBUTES);
        }
        assertThat(muster.runWithInput("b\n", "produce", "orders").exit()).isZero();
        for (Path page : controlPages()) {
            Files.move(page.resolveSibling("copy"), page, StandardCopyOption.REPLACE_EXISTING);
        }
        assertThat(muster.run("consume", "orders", "--exit").out()).containsExactly("a", "b");
    }

    @Test
    void anOverwrittenControlPageHidesNoRecord() throws Exception {
        MusterCommand muster = MusterCommand.on(scratch.resolve("data"));
        assertThat(muster.runWithInput("a\n", "produce", "orders").exit()).isZero();
        Path page = controlPages().getFirst();
        byte[] earlier = Files.readAllBytes(page);
        assertThat(muster.runWithInput("b\n", "produce", "orders").exit()).isZero();
        Files.write(page, earlier);
        assertThat(muster.run("consume", "orders", "--exit").out()).containsExactly("a", "b");
    }

    @Test
    void deletedHostFilesCauseNoGeneration() throws Exception {
        MusterCommand muster = MusterCommand.on(scratch.resolve("data"));
        assertThat(muster.run("topic", "create", "orders", "--partitions", "2").exit())
                .isZero();
        String[] consume = {"consume", "orders", "-g", "workers", "-q", "--session", "60s"};
        try (MusterCommand.Running first = muster.start(consume);
                MusterCommand.Running second = muster.start(consume)) {
            String generation = stableGeneration(muster);
            consumeOne(muster, first, second, "a");
            for (int round = 0; round < 2; round++) {
                deleteHosts();
                consumeOne(muster, first, second, "round " + round);
            }
            await(() -> count(scratch.resolve("data/.coordinator/hosts")) >= 6);
            consumeOne(muster, first, second, "z");
            assertThat(first.isAlive() && second.isAlive()).isTrue();
            assertThat(stableGeneration(muster)).isEqualTo(generation);
        }
    }

    /** Waits for the generation in which two members own all partitions. */
    private static String stableGeneration(MusterCommand muster) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (true) {
            String groups = muster.run("group", "list", "-o", "jsonl").text();
            Matcher stable = STABLE.matcher(groups);
            if (stable.find()) {
                return stable.group(1);
            }
            assertThat(System.nanoTime()).as(groups).isLessThan(deadline);
        }
    }

    private static void consumeOne(
            MusterCommand muster, MusterCommand.Running first, MusterCommand.Running second, String record)
            throws Exception {
        assertThat(muster.runWithInput(record + "\n", "produce", "orders").exit())
                .isZero();
        await(() -> first.out().lines().contains(record) || second.out().lines().contains(record));
    }

    @Test
    void aSecondServerIsRefusedEvenIfTheRoleFileWasDeleted() throws Exception {
        MusterCommand muster = MusterCommand.on(scratch.resolve("data"));
        try (MusterCommand.Running server = muster.start("serve", "--listen", "localhost:0")) {
            Path role = scratch.resolve("data/.coordinator/kafka-server.role");
            await(() -> Files.exists(role)
                    && !(server.out().lines().isEmpty() && server.err().lines().isEmpty()));
            Files.delete(role);
            assertThat(muster.run("serve", "--listen", "localhost:0").exit()).isNotZero();
            assertThat(server.isAlive()).isTrue();
        }
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static long count(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.count();
        }
    }

    private void deleteHosts() throws IOException {
        try (Stream<Path> files = Files.list(scratch.resolve("data/.coordinator/hosts"))) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    @Test
    void truncatedControlPagesStopNoCommand() throws Exception {
        MusterCommand muster = MusterCommand.on(scratch.resolve("data"));
        assertThat(muster.runWithInput("a\n", "produce", "orders").exit()).isZero();
        try (MusterCommand.Running consumer = muster.start("consume", "orders")) {
            consumer.out().await("a"::equals);
            truncateWakePage(0);
            for (Path page : controlPages()) {
                truncate(page, 0);
            }
            assertThat(muster.runWithInput("b\n", "produce", "orders").exit()).isZero();
            consumer.out().await("b"::equals);
            truncateWakePage(8);
            assertThat(muster.runWithInput("c\n", "produce", "orders").exit()).isZero();
            consumer.out().await("c"::equals);
            assertThat(consumer.out().lines()).containsExactly("a", "b", "c");
            assertThat(consumer.isAlive()).isTrue();
        }
    }

    /**
     * Truncates the wake page. A running process may replace the page between the search for its name and the
     * truncation.
     */
    private void truncateWakePage(int size) throws IOException {
        insist(() -> {
            Path page = find("wake-");
            truncate(page, size);
            return page;
        });
    }

    private static void truncate(Path file, int size) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
    }

    private List<Path> controlPages() throws IOException {
        return insist(() -> {
            try (Stream<Path> all = Files.walk(scratch.resolve("data"))) {
                return all.filter(file -> file.getFileName().toString().startsWith("control-"))
                        .filter(file -> !file.toString().endsWith(".tmp"))
                        .toList();
            }
        });
    }

    /** The first file of the directory whose name has this part, without drafts of pages. */
    private Path find(String part) throws IOException {
        return insist(() -> {
            try (Stream<Path> all = Files.walk(scratch.resolve("data"))) {
                return all.filter(file -> file.getFileName().toString().contains(part))
                        .filter(file -> !file.toString().endsWith(".tmp"))
                        .min(Comparator.naturalOrder())
                        .orElseThrow();
            }
        });
    }

    private static void removeAll(Path folder) throws IOException {
        insist(() -> {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
            return folder;
        });
    }

    private interface Walk<T> {
        T run() throws IOException;
    }

    /** Walks the directory, repeatedly if a running process creates or deletes a file meanwhile. */
    private static <T> T insist(Walk<T> walk) throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                return walk.run();
            } catch (UncheckedIOException | DirectoryNotEmptyException | NoSuchFileException e) {
                if (tries == 20) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
        }
    }
}
