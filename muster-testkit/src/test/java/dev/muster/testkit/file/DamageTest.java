package dev.muster.testkit.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.muster.core.MusterException;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.Topic;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.file.check.CheckReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: damage is contained and loud. Whatever is done to the files, no wrong record is delivered, every record that is
 * missing is named by an error with its file, everything else is readable, also after a new writer appended, and the
 * checking tool finds it. Method: a small log on real files; every byte of it is changed, every file is cut at every
 * length, deleted, swapped.
 */
class DamageTest {
    private static final long SEED = Long.getLong("muster.seed", System.nanoTime());
    private static final TopicName TOPIC = new TopicName("orders");

    @TempDir
    Path folder;

    private Path pristine;
    private Path directory;
    private Topic topic;
    private final TreeMap<Long, Long> written = new TreeMap<>();
    /** Where each batch stands: file name, position, size, and its offsets. */
    private final List<Place> places = new ArrayList<>();

    private long nextNumber;

    private record Place(String file, int position, int size, long firstOffset, long nextOffset) {
        Set<Long> offsets() {
            return LongStream.range(firstOffset, nextOffset).boxed().collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @BeforeEach
    void writeASmallLog() throws IOException {
        System.out.println("damage: seed " + SEED);
        pristine = folder.resolve("pristine");
        directory = folder.resolve("data");
        try (LogStore store = Stores.open(pristine)) {
            topic = store.create(
                    TOPIC,
                    1,
                    TopicSettings.DEFAULT
                            .with("retention.ms", "-1")
                            .withSegmentBytes(1024)
                            .with("index.interval.bytes", "128"));
            PartitionLog log = store.log(topic.id(), 0);
            for (int i = 0; i < 12; i++) {
                append(log, 1 + i % 3);
            }
        }
        for (String name : logFiles()) {
            find(name);
        }
        assertThat(logFiles()).as("segments").hasSizeGreaterThanOrEqualTo(3);
        assertThat(places).hasSize(12);
        restore();
    }

    private void append(PartitionLog log, int count) {
        long[] numbers = LongStream.generate(this::nextSmallNumber).limit(count).toArray();
        long offset = log.append(NumberedRecords.batch(numbers));
        log.awaitDurable(offset + count);
        for (int i = 0; i < count; i++) {
            written.put(offset + i, numbers[i]);
        }
    }

    private long nextSmallNumber() {
        do {
            nextNumber++;
        } while (NumberedRecords.value(nextNumber).length > 40);
        return nextNumber;
    }

    private void find(String name) throws IOException {
        byte[] bytes = Files.readAllBytes(partition(pristine).resolve(name));
        for (int at = 0; at < bytes.length; at += BatchHeader.sizeInBytes(bytes, at)) {
            int records = BatchHeader.recordCount(bytes, at);
            if (records > 0) {
                long first = BatchHeader.baseOffset(bytes, at);
                places.add(new Place(name, at, BatchHeader.sizeInBytes(bytes, at), first, first + records));
            }
        }
    }

    private Path partition(Path data) {
        return data.resolve("logs/" + topic.id() + "/partition-0");
    }

    private List<String> logFiles() throws IOException {
        return filesOfPartition(".log");
    }

    private List<String> filesOfPartition(String ending) throws IOException {
        try (Stream<Path> files = Files.list(partition(pristine))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(ending))
                    .sorted()
                    .toList();
        }
    }

    /** A fresh copy of the log as it was written. */
    private void restore() throws IOException {
        if (Files.exists(directory)) {
            Stores.deleteAll(directory);
        }
        try (Stream<Path> files = Files.walk(pristine)) {
            for (Path file : files.toList()) {
                Files.copy(file, directory.resolve(pristine.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    @Test
    void withoutDamageAllIsThereAndTheCheckIsClean() {
        verify("nothing", null, Set.of(), false);
    }

    @Test
    void anyByteOfTheLogMayFlip() throws IOException {
        Random random = new Random(SEED);
        int flips = 0;
        for (String name : logFiles()) {
            byte[] bytes = Files.readAllBytes(partition(pristine).resolve(name));
            for (int at = 0; at < bytes.length; at++) {
                byte[] changed = bytes.clone();
                changed[at] ^= (byte) (1 + random.nextInt(255));
                Files.write(partition(directory).resolve(name), changed);
                int position = at;
                Set<Long> hit = places.stream()
                        .filter(place -> place.file.equals(name)
                                && place.position <= position
                                && position < place.position + place.size)
                        .findFirst()
                        .map(Place::offsets)
                        .orElse(Set.of());
                verify(
                        "byte " + at + " of " + name + " is " + changed[at] + " instead of " + bytes[at],
                        name,
                        hit,
                        true);
                restore();
                flips++;
            }
        }
        System.out.printf("damage: %d bytes flipped%n", flips);
    }

    @Test
    void anySegmentMayBeCutAtAnyLength() throws IOException {
        for (String name : logFiles()) {
            byte[] bytes = Files.readAllBytes(partition(pristine).resolve(name));
            for (int length = 0; length < bytes.length; length++) {
                Files.write(partition(directory).resolve(name), Arrays.copyOf(bytes, length));
                int end = length;
                Set<Long> cut = places.stream()
                        .filter(place -> place.file.equals(name) && place.position + place.size > end)
                        .flatMap(place -> place.offsets().stream())
                        .collect(Collectors.toSet());
                verify(name + " cut at " + length, name, cut, true);
                restore();
            }
        }
    }

    @Test
    void anySegmentMayBeMissing() throws IOException {
        for (String name : logFiles()) {
            Files.delete(partition(directory).resolve(name));
            Set<Long> gone = places.stream()
                    .filter(place -> place.file.equals(name))
                    .flatMap(place -> place.offsets().stream())
                    .collect(Collectors.toSet());
            verify(name + " deleted", name, gone, true);
            restore();
        }
    }

    @Test
    void zerosInTheMiddleOfASegmentAreDamage() throws IOException {
        Random random = new Random(SEED);
        for (String name : logFiles()) {
            byte[] bytes = Files.readAllBytes(partition(pristine).resolve(name));
            for (int i = 0; i < 40; i++) {
                int from = random.nextInt(bytes.length);
                int to = from + 1 + random.nextInt(bytes.length - from);
                byte[] changed = bytes.clone();
                Arrays.fill(changed, from, to, (byte) 0);
                if (Arrays.equals(changed, bytes)) {
                    continue;
                }
                Files.write(partition(directory).resolve(name), changed);
                Set<Long> hit = places.stream()
                        .filter(place -> place.file.equals(name)
                                && !Arrays.equals(
                                        bytes,
                                        place.position,
                                        place.position + place.size,
                                        changed,
                                        place.position,
                                        place.position + place.size))
                        .flatMap(place -> place.offsets().stream())
                        .collect(Collectors.toSet());
                verify("zeros from " + from + " to " + to + " of " + name, name, hit, true);
                restore();
            }
        }
    }

    @Test
    void everythingDerivedMayBeDeletedCutFlippedOrSwapped() throws IOException {
        Random random = new Random(SEED);
        List<String> derived = new ArrayList<>(filesOfPartition(".index"));
        assertThat(derived).isNotEmpty();
        for (String name : filesOfPartition("")) {
            if (!name.endsWith(".log") && !name.endsWith(".index")) {
                derived.add(name);
            }
        }
        for (String name : derived) {
            Path file = partition(directory).resolve(name);
            byte[] bytes = Files.readAllBytes(file);
            Files.delete(file);
            verify(name + " deleted", null, Set.of(), false);
            restore();
            for (int i = 0; i < 30; i++) {
                int length = random.nextInt(bytes.length + 1);
                Files.write(file, Arrays.copyOf(bytes, length));
                verify(name + " cut at " + length, null, Set.of(), false);
                restore();
            }
            if (name.startsWith("control")) {
                continue; // memory that happens to have a name: nobody promises anything when it is scribbled over
            }
            for (int i = 0; i < 60; i++) {
                int at = random.nextInt(bytes.length + 1) % Math.max(1, bytes.length);
                if (bytes.length > 0) {
                    byte[] changed = bytes.clone();
                    changed[at] ^= (byte) (1 + random.nextInt(255));
                    Files.write(file, changed);
                    verify("byte " + at + " of " + name + " changed", null, Set.of(), false);
                    restore();
                }
            }
        }
        List<String> indexes = filesOfPartition(".index");
        for (String one : indexes) {
            for (String two : indexes) {
                Files.copy(
                        partition(pristine).resolve(one),
                        partition(directory).resolve(two),
                        StandardCopyOption.REPLACE_EXISTING);
                verify(two + " is a copy of " + one, null, Set.of(), false);
                restore();
            }
        }
    }

    @Test
    void aSegmentOfAnotherPlaceIsNotTakenForTheRightOne() throws IOException {
        List<String> names = logFiles();
        for (String wrong : names) {
            for (String name : names) {
                if (!name.equals(wrong)) {
                    Files.copy(
                            partition(pristine).resolve(wrong),
                            partition(directory).resolve(name),
                            StandardCopyOption.REPLACE_EXISTING);
                    Set<Long> gone = places.stream()
                            .filter(place -> place.file.equals(name))
                            .flatMap(place -> place.offsets().stream())
                            .collect(Collectors.toSet());
                    verify(name + " is a copy of " + wrong, name, gone, true);
                    restore();
                }
            }
        }
    }

    /**
     * Opens the damaged directory again and again: reads, appends as a new writer, reads again.
     *
     * @param file what the tool must name; null when there is nothing to be found
     * @param missing the offsets that may be reported as damaged; all others must be readable
     * @param expected whether the checking tool must find something
     */
    private void verify(String what, String file, Set<Long> missing, boolean expected) {
        TreeMap<Long, Long> before = new TreeMap<>(written);
        long numberBefore = nextNumber;
        try {
            checkReports(file, expected);
            try (LogStore store = Stores.open(directory)) {
                compare(LogContent.read(store.log(topic.id(), 0)), missing);
                lookEverywhere(store.log(topic.id(), 0), missing);
            }
            try (LogStore store = Stores.open(directory)) {
                append(store.log(topic.id(), 0), 2);
                compare(LogContent.read(store.log(topic.id(), 0)), missing);
            }
            try (LogStore store = Stores.open(directory)) {
                compare(LogContent.read(store.log(topic.id(), 0)), missing);
            }
            checkReports(file, expected);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + SEED + ": " + what, e);
        } finally {
            written.clear();
            written.putAll(before);
            nextNumber = numberBefore;
        }
    }

    private void compare(LogContent content, Set<Long> missing) {
        assertThat(content.start()).as("start").isZero();
        assertThat(content.skipped()).as("offsets passed over in silence").isEmpty();
        assertThat(content.end()).as("end").isEqualTo(written.lastKey() + 1);
        written.forEach((offset, number) -> {
            Long found = content.numberByOffset().get(offset);
            if (found != null) {
                assertThat(found).as("record at offset %d", offset).isEqualTo(number);
            } else if (!content.isDamaged(offset)) {
                fail("offset %d is missing and no error says so; errors: %s", offset, content.damages());
            } else {
                assertThat(missing)
                        .as("offset %d was not touched but cannot be read: %s", offset, content.damages())
                        .contains(offset);
            }
        });
    }

    /** A reader that begins in the middle gets the same. */
    private void lookEverywhere(PartitionLog log, Set<Long> missing) {
        for (long offset = 1; offset <= written.lastKey(); offset += 5) {
            LogContent content = LogContent.read(log, offset);
            written.tailMap(offset).forEach((at, number) -> {
                if (!missing.contains(at)) {
                    assertThat(content.numberByOffset())
                            .as("read from the middle")
                            .containsEntry(at, number);
                }
            });
        }
    }

    private void checkReports(String file, boolean expected) {
        CheckReport report = Stores.check(directory);
        if (expected) {
            assertThat(report.findings())
                    .as("findings of the check")
                    .anyMatch(finding -> finding.file().endsWith(file));
        } else {
            assertThat(Stores.damage(report)).as("damage found by the check").isEmpty();
        }
    }

    @Test
    void damagedDescriptionsAreRefusedByName() throws IOException {
        try (Stream<Path> files = Files.walk(pristine)) {
            for (Path json :
                    files.filter(file -> file.toString().endsWith(".json")).toList()) {
                byte[] bytes = Files.readAllBytes(json);
                Path damaged = directory.resolve(pristine.relativize(json));
                for (int length = 0; length < bytes.length; length += 7) {
                    Files.write(damaged, Arrays.copyOf(bytes, length));
                    try (LogStore store = Stores.open(directory)) {
                        store.find(TOPIC);
                        store.list();
                    } catch (MusterException e) {
                        assertThat(e.getMessage()).contains(json.getFileName().toString());
                    }
                    assertThat(Files.readAllBytes(damaged))
                            .as("what is damaged is not overwritten")
                            .hasSize(length);
                    Files.write(damaged, bytes);
                }
            }
        }
    }
}
