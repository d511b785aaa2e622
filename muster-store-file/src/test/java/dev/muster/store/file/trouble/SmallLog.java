package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.Disk;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.file.Stores;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.MemoryDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/** A log that is small enough to try every change: one partition, a few segments, a few records per batch. */
final class SmallLog {
    static final TopicName TOPIC = new TopicName("orders");
    static final UUID BOOT = UUID.fromString("b0070000-0000-0000-0000-000000000001");
    private static final Path ROOT = Path.of("/data");
    private static final int BATCHES = 16;
    private static final int VALUE_MAX = 40;

    private final TreeMap<Path, byte[]> files = new TreeMap<>();
    private final TreeMap<Long, Long> written = new TreeMap<>();
    private final List<Place> places = new ArrayList<>();
    private TopicId topic;
    private long nextNumber;

    /** The position of a batch, and its offsets. */
    record Place(String file, int position, int size, long firstOffset, long nextOffset) {
        int end() {
            return position + size;
        }

        boolean holds(String name, int at) {
            return file.equals(name) && position <= at && at < end();
        }
    }

    /** A copy of the directory, to be damaged. The key of a file of the partition is its name. */
    static final class Files {
        private final TreeMap<Path, byte[]> files = new TreeMap<>();

        private Files(Map<Path, byte[]> files) {
            files.forEach((path, bytes) -> this.files.put(path, bytes.clone()));
        }

        Files copy() {
            return new Files(files);
        }

        Map<Path, byte[]> all() {
            return files;
        }

        Path path(String name) {
            return SmallLog.find(files, name);
        }

        byte[] get(String name) {
            return files.get(path(name));
        }

        void put(String name, byte[] bytes) {
            files.put(path(name), bytes.clone());
        }

        void remove(String name) {
            files.remove(path(name));
        }
    }

    private SmallLog() {}

    static SmallLog write() {
        return write(BATCHES);
    }

    /** A log whose last segment has a single batch. */
    static SmallLog justRolled() {
        SmallLog log = write(BATCHES - 1);
        String last = log.segments().getLast();
        assertThat(log.places.stream().filter(place -> place.file().equals(last)))
                .as("batches in the last segment")
                .hasSize(1);
        return log;
    }

    private static SmallLog write(int batches) {
        SmallLog log = new SmallLog();
        Disk disk = new MemoryDisk().process();
        try (LogStore store = Stores.open(disk, ROOT, BOOT)) {
            TopicSettings settings = TopicSettings.DEFAULT
                    .with("retention.ms", "-1")
                    .with("segment.bytes", "1024")
                    .with("index.interval.bytes", "128");
            Topic topic = store.create(TOPIC, 1, settings);
            log.topic = topic.id();
            for (int i = 0; i < batches; i++) {
                log.written.putAll(log.append(store.log(topic.id(), 0), 1 + i % 3));
            }
        }
        try {
            log.collect(disk, ROOT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        log.segments().forEach(log::findBatches);
        assertThat(log.segments()).as("segments").hasSizeGreaterThanOrEqualTo(3);
        assertThat(log.places).hasSize(batches);
        return log;
    }

    private void collect(Disk disk, Path folder) throws IOException {
        for (String name : disk.list(folder)) {
            Path path = folder.resolve(name);
            if (disk.list(path).isEmpty() && isFile(disk, path)) {
                files.put(ROOT.relativize(path), disk.readAll(path));
            } else {
                collect(disk, path);
            }
        }
    }

    private static boolean isFile(Disk disk, Path path) {
        try {
            return disk.size(path) >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    private void findBatches(String name) {
        byte[] bytes = content(name);
        for (int at = 0; at < bytes.length; at += BatchHeader.sizeInBytes(bytes, at)) {
            int records = BatchHeader.recordCount(bytes, at);
            if (records > 0) {
                long first = BatchHeader.baseOffset(bytes, at);
                places.add(new Place(name, at, BatchHeader.sizeInBytes(bytes, at), first, first + records));
            }
        }
    }

    /**
     * Appends one batch of further records.
     *
     * @return the record at each offset
     */
    Map<Long, Long> append(PartitionLog log, int count) {
        long[] numbers = LongStream.generate(this::nextSmallNumber).limit(count).toArray();
        long offset = log.append(NumberedRecords.batch(numbers));
        log.awaitDurable(offset + count);
        Map<Long, Long> appended = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            appended.put(offset + i, numbers[i]);
        }
        return appended;
    }

    private long nextSmallNumber() {
        do {
            nextNumber++;
        } while (NumberedRecords.value(nextNumber).length > VALUE_MAX);
        return nextNumber;
    }

    TopicId topic() {
        return topic;
    }

    /** The record that was written at each offset. */
    SortedMap<Long, Long> written() {
        return written;
    }

    List<Place> places() {
        return places;
    }

    Set<Long> offsets(Predicate<Place> which) {
        Set<Long> offsets = new TreeSet<>();
        places.stream()
                .filter(which)
                .forEach(place -> LongStream.range(place.firstOffset(), place.nextOffset())
                        .forEach(offsets::add));
        return offsets;
    }

    Files copy() {
        return new Files(files);
    }

    byte[] content(String name) {
        return files.get(find(files, name));
    }

    List<String> segments() {
        return names(path -> path.toString().endsWith(".log"));
    }

    List<String> derived() {
        return names(path -> path.toString().endsWith(".index") || path.endsWith("checkpoint"));
    }

    List<String> descriptions() {
        return names(path -> path.toString().endsWith(".json"));
    }

    String controlPage() {
        return names(path -> path.toString().contains("partition-0/control-")).getFirst();
    }

    private List<String> names(Predicate<Path> which) {
        return files.keySet().stream()
                .filter(which)
                .map(path -> path.getFileName().toString())
                .toList();
    }

    private static Path find(Map<Path, byte[]> files, String name) {
        return files.keySet().stream()
                .filter(path -> path.endsWith(name) && !isOfTheTopic(path, name))
                .findFirst()
                .orElseThrow();
    }

    /** The topic has its own shared page under the same name, one folder above. */
    private static boolean isOfTheTopic(Path path, String name) {
        return name.startsWith("control-") && !path.toString().contains("partition-");
    }
}
