package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.PartitionLog;
import dev.muster.store.Topic;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A topic is deleted and made anew under writers of other processes: no record is acknowledged into nowhere. */
class DeletedTopicIT {
    private static final TopicName TOPIC = new TopicName("t");
    // Between its last look and its word to us a writer may be without a processor for a while.
    private static final long GRACE_NANOS = 500_000_000;

    @TempDir
    Path directory;

    @Test
    @Timeout(value = 3, unit = TimeUnit.MINUTES)
    void noRecordIsAcknowledgedIntoNowhere() throws Exception {
        Path data = directory.resolve("data");
        Map<String, Long> deletedAt = new HashMap<>();
        List<String> said = new ArrayList<>();
        try (FileStore store = FileStore.open(data, FileStoreOptions.defaults())) {
            store.create(TOPIC, 1, TopicSettings.DEFAULT);
            try (Child first = Child.start(Writer.class, data, 0);
                    Child second = Child.start(Writer.class, data, 1)) {
                for (int round = 0; round < 6; round++) {
                    for (int i = 0; i < 40; i++) {
                        said.add(first.readLine());
                        said.add(second.readLine());
                    }
                    if (round < 5) {
                        String old = store.find(TOPIC).orElseThrow().id().toString();
                        store.delete(TOPIC);
                        deletedAt.put(old, System.nanoTime());
                        store.create(TOPIC, 1, TopicSettings.DEFAULT);
                    }
                }
                first.tell("end");
                second.tell("end");
                said.addAll(first.readLines());
                said.addAll(second.readLines());
            }
            check(store, said, deletedAt);
        }
    }

    private static void check(FileStore store, List<String> said, Map<String, Long> deletedAt) {
        Topic living = store.find(TOPIC).orElseThrow();
        Map<Long, String> there = new HashMap<>();
        NumberedRecords.readAll(
                store.log(living.id(), 0),
                record -> there.put(record.offset(), record.writer() + " " + record.number()));
        int intoTheLiving = 0;
        for (String line : said) {
            // topic id, offset, writer, number, time
            String[] words = line.split(" ");
            if (words[0].equals(living.id().toString())) {
                assertThat(there).containsEntry(Long.parseLong(words[1]), words[2] + " " + words[3]);
                intoTheLiving++;
            } else {
                assertThat(Long.parseLong(words[4]))
                        .as("acknowledged into a topic that was deleted before: " + line)
                        .isLessThan(deletedAt.get(words[0]) + GRACE_NANOS);
            }
        }
        System.out.printf(
                "%d deletes under 2 writers: %d acknowledged, %d of them into the topic that is there%n",
                deletedAt.size(), said.size(), intoTheLiving);
        assertThat(intoTheLiving).isPositive();
    }

    /** Appends to whatever topic has the name, until it is told to end. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws Exception {
            int id = Integer.parseInt(args[1]);
            try (FileStore store = FileStore.open(Path.of(args[0]), FileStoreOptions.defaults())) {
                for (long number = 0; System.in.available() == 0; number++) {
                    Optional<Topic> topic = store.find(TOPIC);
                    if (topic.isPresent()) {
                        append(store, topic.get().id(), id, number);
                    }
                }
            }
        }

        private static void append(FileStore store, TopicId topic, int id, long number) {
            try {
                PartitionLog log = store.log(topic, 0);
                long offset = log.append(NumberedRecords.batch(id, number, 100));
                log.awaitDurable(offset + 1);
                System.out.println(topic + " " + offset + " " + id + " " + number + " " + System.nanoTime());
            } catch (TopicDeletedException | TopicNotFoundException e) {
                // Not acknowledged: the next one goes to the next topic.
                System.out.flush();
            }
        }
    }
}
