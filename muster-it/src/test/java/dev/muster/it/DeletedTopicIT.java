package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import java.io.IOException;
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

/**
 * A topic is deleted and created again under writers of other processes. No record of a deleted topic is acknowledged.
 */
class DeletedTopicIT {
    private static final TopicName TOPIC = new TopicName("t");
    private static final int EACH_ROUND = 40;

    @TempDir
    Path directory;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aRecordOfADeletedTopicIsNotAcknowledged() throws Exception {
        Path data = directory.resolve("data");
        Map<String, Long> deletedAt = new HashMap<>();
        List<String> said = new ArrayList<>();
        try (FileStore store = FileStore.open(data, FileStoreOptions.defaults())) {
            store.create(TOPIC, 1, TopicSettings.DEFAULT);
            try (Child first = Child.start(Writer.class, data, 0);
                    Child second = Child.start(Writer.class, data, 1)) {
                for (int round = 0; round < 6; round++) {
                    String old = store.find(TOPIC).orElseThrow().id().toString();
                    said.addAll(readUntilInto(old, first));
                    said.addAll(readUntilInto(old, second));
                    if (round < 5) {
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

    /**
     * The output of a writer until it has acknowledged records of this topic; earlier lines may be about earlier
     * topics.
     */
    private static List<String> readUntilInto(String topic, Child writer) throws IOException {
        List<String> lines = new ArrayList<>();
        for (int into = 0; into < EACH_ROUND; ) {
            lines.add(writer.readLine());
            into += lines.getLast().startsWith(topic) ? 1 : 0;
        }
        return lines;
    }

    private static void check(FileStore store, List<String> said, Map<String, Long> deletedAt) {
        Topic living = store.find(TOPIC).orElseThrow();
        Map<Long, String> there = new HashMap<>();
        NumberedRecords.readAll(
                store.log(living.id(), 0),
                record -> there.put(record.offset(), record.writer() + " " + record.number()));
        int intoTheLiving = 0;
        for (String line : said) {
            // topic id, offset, writer, number, the time at which it began to wait for its sync
            String[] words = line.split(" ");
            if (words[0].equals(living.id().toString())) {
                assertThat(there).containsEntry(Long.parseLong(words[1]), words[2] + " " + words[3]);
                intoTheLiving++;
            } else {
                assertThat(Long.parseLong(words[4]))
                        .as("acknowledged into a topic that was deleted before: " + line)
                        .isLessThan(deletedAt.get(words[0]));
            }
        }
        System.out.printf(
                "%d deletes under 2 writers: %d acknowledged, %d of them into the topic that is there%n",
                deletedAt.size(), said.size(), intoTheLiving);
        assertThat(intoTheLiving).isGreaterThanOrEqualTo(2 * EACH_ROUND);
    }

    /** Appends to the present topic of the name, until the test ends it or is gone. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws Exception {
            int id = Integer.parseInt(args[1]);
            try (FileStore store = FileStore.open(Path.of(args[0]), FileStoreOptions.defaults())) {
                EndSignal end = EndSignal.await();
                for (long number = 0; !end.isGiven(); number++) {
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
                // The time is read before the last check of the topic. So a process that is not scheduled for a while
                // does no harm. The clock is the same for all processes.
                long before = System.nanoTime();
                log.awaitDurable(offset + 1);
                System.out.println(topic + " " + offset + " " + id + " " + number + " " + before);
            } catch (TopicDeletedException | TopicNotFoundException e) {
                // The record is not acknowledged; the next one goes to the next topic.
                System.out.flush();
            }
        }
    }
}
