package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.muster.core.MusterException;
import dev.muster.store.DamagedLogException;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.file.Stores;
import dev.muster.store.file.check.CheckReport;
import dev.muster.store.file.finding.Finding;
import dev.muster.store.file.trouble.SmallLog.Place;
import dev.muster.testkit.ExpectedTrouble;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: damage is contained and reported. However the files are changed, no wrong record is delivered. Every missing
 * record is reported by an error with its file, and the check finds the damage. All other records are readable, also
 * after a new writer appended. Method: a small log; every byte of it is changed, every file is cut at many lengths (at
 * every one in a soak), deleted, and swapped. The thousands of cases run on a simulated disk, and some of them also on
 * real files.
 */
@ExtendWith(ExpectedTrouble.class)
class DamageIT {
    private static final boolean SOAK = Boolean.getBoolean("muster.soak");
    private static final long SEED = Long.getLong("muster.seed", SOAK ? System.nanoTime() : 1);
    /** Every byte of the log is changed. All lengths, and all changes of derived files, are tried in a soak only. */
    private static final int STEP = SOAK ? 1 : 4;

    private static final int ZEROS = SOAK ? 200 : 50;
    private static final int ON_REAL_FILES = 97;

    @TempDir
    Path folder;

    private final Random random = new Random(SEED);
    private final SmallLog log = SmallLog.write();
    private int cases;

    /** The finding that the check must report. */
    private enum Check {
        FINDS_DAMAGE,
        FINDS_SOMETHING,
        FINDS_NO_DAMAGE
    }

    @BeforeEach
    void sayTheSeed(TestInfo test) {
        System.out.println("damage: " + test.getDisplayName() + " seed " + SEED);
    }

    @Test
    void withoutDamageAllRecordsAreReadAndTheCheckIsClean() {
        verify("nothing", log.copy(), null, Set.of(), Check.FINDS_NO_DAMAGE);
        onRealFiles("nothing", log.copy(), null, Set.of(), Check.FINDS_NO_DAMAGE);
    }

    @Test
    void anyByteOfTheLogMayFlip() {
        for (String name : log.segments()) {
            byte[] bytes = log.content(name);
            for (int at = 0; at < bytes.length; at++) {
                SmallLog.Files files = log.copy();
                byte was = bytes[at];
                byte is = (byte) (was ^ (1 + random.nextInt(255)));
                files.get(name)[at] = is;
                int position = at;
                Set<Long> hit = log.offsets(place -> place.holds(name, position));
                damaged("byte " + at + " of " + name + " is " + is + " instead of " + was, files, name, hit);
            }
        }
        System.out.printf("damage: %d bytes flipped%n", cases);
    }

    @Test
    void anySegmentMayBeCutAtAnyLength() {
        for (String name : log.segments()) {
            for (int length = random.nextInt(STEP); length < log.content(name).length; length += STEP) {
                SmallLog.Files files = log.copy();
                files.put(name, Arrays.copyOf(log.content(name), length));
                int end = length;
                Set<Long> cut =
                        log.offsets(place -> place.file().equals(name) && place.position() + place.size() > end);
                damaged(name + " cut at " + length, files, name, cut);
            }
        }
    }

    @Test
    void anySegmentMayBeMissing() {
        for (String name : log.segments()) {
            SmallLog.Files files = log.copy();
            files.remove(name);
            Set<Long> gone = log.offsets(place -> place.file().equals(name));
            damaged(name + " deleted", files, "", gone);
        }
    }

    @Test
    void zerosInASegmentAreDamage() {
        for (String name : log.segments()) {
            byte[] bytes = log.content(name);
            for (int i = 0; i < ZEROS; i++) {
                int from = random.nextInt(bytes.length);
                int to = from + 1 + random.nextInt(bytes.length - from);
                SmallLog.Files files = log.copy();
                Arrays.fill(files.get(name), from, to, (byte) 0);
                byte[] changed = files.get(name);
                Predicate<Place> isChanged = place -> place.file().equals(name)
                        && !Arrays.equals(bytes, place.position(), place.end(), changed, place.position(), place.end());
                if (!Arrays.equals(bytes, changed)) {
                    damaged("zeros from " + from + " to " + to + " of " + name, files, name, log.offsets(isChanged));
                }
            }
        }
    }

    @Test
    void segmentOfAnotherPartitionIsRefused() {
        for (String wrong : log.segments()) {
            for (String name : log.segments()) {
                if (!name.equals(wrong)) {
                    SmallLog.Files files = log.copy();
                    files.put(name, log.content(wrong));
                    damaged(
                            name + " is a copy of " + wrong,
                            files,
                            name,
                            log.offsets(place -> place.file().equals(name)));
                }
            }
        }
    }

    @Test
    void derivedFilesMayBeDeletedCutFlippedOrSwapped() {
        List<String> derived = log.derived();
        assertThat(derived).anyMatch(name -> name.endsWith(".index")).contains("checkpoint");
        for (String name : derived) {
            SmallLog.Files without = log.copy();
            without.remove(name);
            harmless(name + " deleted", without);
            byte[] bytes = log.content(name);
            for (int length = random.nextInt(STEP); length < bytes.length; length += STEP) {
                SmallLog.Files files = log.copy();
                files.put(name, Arrays.copyOf(bytes, length));
                harmless(name + " cut at " + length, files);
            }
            for (int at = random.nextInt(STEP); at < bytes.length; at += STEP) {
                SmallLog.Files files = log.copy();
                files.get(name)[at] ^= (byte) (1 + random.nextInt(255));
                harmless("byte " + at + " of " + name + " changed", files);
            }
            for (String other : derived) {
                SmallLog.Files files = log.copy();
                files.put(name, log.content(other));
                harmless(name + " is a copy of " + other, files);
            }
        }
    }

    @Test
    void sharedPageMayBeDeletedOrCut() {
        String page = log.controlPage();
        SmallLog.Files without = log.copy();
        without.remove(page);
        harmless(page + " deleted", without);
        for (int length = 0; length < log.content(page).length; length += 61) {
            SmallLog.Files files = log.copy();
            files.put(page, Arrays.copyOf(log.content(page), length));
            DamagedDirectory directory = DamagedDirectory.simulated(files);
            assertThat(directory.check().findings())
                    .anyMatch(finding -> finding.file().endsWith(page));
            try (LogStore store = directory.open()) {
                compare(LogContent.read(store.log(log.topic(), 0)), log.written(), Set.of());
            }
            assertThat(directory.check().findings()).isEmpty();
        }
    }

    @Test
    void afterARebootDamageDiffersFromATornTail() {
        for (String name : log.segments()) {
            flipEachByteAndReboot(log, name, log.copy());
        }
    }

    @Test
    void afterARebootDamageInASingleBatchIsNoTornTail() {
        SmallLog rolled = SmallLog.justRolled();
        flipEachByteAndReboot(rolled, rolled.segments().getLast(), rolled.copy());
    }

    @Test
    void afterARebootDamageInASealedLastSegmentIsReported() {
        String last = log.segments().getLast();
        SmallLog.Files shorter = log.copy();
        shorter.remove(last);
        shorter.remove("checkpoint");
        long end = log.offsets(place -> place.file().equals(last)).iterator().next();
        Place lastPlace = log.places().stream()
                .filter(place -> place.nextOffset() == end)
                .findFirst()
                .orElseThrow();
        flipEachByteAndReboot(
                log, lastPlace.file(), shorter, lastPlace, log.written().headMap(end));
    }

    private void flipEachByteAndReboot(SmallLog of, String name, SmallLog.Files intact) {
        flipEachByteAndReboot(of, name, intact, of.places().getLast(), of.written());
    }

    /** After a reboot recovery reads everything. It only cannot know if the last batch was ever whole. */
    private void flipEachByteAndReboot(
            SmallLog of, String name, SmallLog.Files intact, Place last, SortedMap<Long, Long> written) {
        for (int at = 0; at < intact.get(name).length; at++) {
            SmallLog.Files files = intact.copy();
            files.get(name)[at] ^= (byte) (1 + random.nextInt(255));
            int position = at;
            Set<Long> hit = of.offsets(place -> place.holds(name, position));
            try (LogStore store = DamagedDirectory.simulated(files).rebooted().open()) {
                LogContent content = LogContent.read(store.log(of.topic(), 0));
                boolean tailGone = last.holds(name, position) && content.end() == last.firstOffset();
                compare(content, tailGone ? written.headMap(last.firstOffset()) : written, hit);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "seed " + SEED + ": byte " + at + " of " + name + " changed, then a reboot", e);
            }
        }
    }

    /** Without the page of the boot recovery reads the log again. No record can have been lost in a power cut. */
    @Test
    void withoutTheControlPageRecoveryTellsDamageFromATornTail() {
        // The segments before it end where the next one begins.
        String last = log.segments().getLast();
        SmallLog.Files files = log.copy();
        files.remove(log.controlPage());
        flipEachByteAndRecover(last, files);
        files.remove("checkpoint");
        flipEachByteAndRecover(last, files);
    }

    private void flipEachByteAndRecover(String name, SmallLog.Files intact) {
        Place last = log.places().getLast();
        for (int at = 0; at < intact.get(name).length; at++) {
            SmallLog.Files files = intact.copy();
            files.get(name)[at] ^= (byte) (1 + random.nextInt(255));
            int position = at;
            Set<Long> hit = log.offsets(place -> place.holds(name, position));
            DamagedDirectory directory = DamagedDirectory.simulated(files);
            SortedMap<Long, Long> expected = new TreeMap<>(log.written());
            try {
                try (LogStore store = directory.open()) {
                    LogContent content = LogContent.read(store.log(log.topic(), 0));
                    if (mayLookUnfinished(last, name, position) && content.end() == last.firstOffset()) {
                        expected = expected.headMap(last.firstOffset());
                    }
                    compare(content, expected, hit);
                }
                try (LogStore store = directory.open()) {
                    expected = new TreeMap<>(expected);
                    expected.putAll(log.append(store.log(log.topic(), 0), 2));
                    compare(LogContent.read(store.log(log.topic(), 0)), expected, hit);
                }
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "seed " + SEED + ": byte " + at + " of " + name + " changed, and the page deleted", e);
            }
        }
    }

    /**
     * True for the fields with the offsets of the last batch. Of its fields, only the length can be found in another
     * way.
     */
    private static boolean mayLookUnfinished(Place last, String name, int position) {
        int at = position - last.position();
        return last.holds(name, position)
                && at < BatchHeader.SIZE
                && (at < BatchHeader.LENGTH_AT || at >= BatchHeader.LEADER_EPOCH_AT);
    }

    @Test
    void damagedJsonFilesAreNamedAndNotOverwritten() {
        for (String name : log.descriptions()) {
            byte[] bytes = log.content(name);
            for (int length = 0; length < bytes.length; length++) {
                SmallLog.Files files = log.copy();
                files.put(name, Arrays.copyOf(bytes, length));
                DamagedDirectory directory = DamagedDirectory.simulated(files);
                try (LogStore store = directory.open()) {
                    store.find(SmallLog.TOPIC);
                    store.list();
                } catch (MusterException e) {
                    assertThat(e.getMessage()).as("cut at %d", length).contains(name);
                }
                assertThat(directory.read(name))
                        .as("what is damaged is not overwritten")
                        .hasSize(length);
            }
        }
    }

    private void damaged(String what, SmallLog.Files files, String file, Set<Long> missing) {
        // A seal may also be missing because of a power cut. That concerns no record, so a note is enough.
        Check check = missing.isEmpty() ? Check.FINDS_SOMETHING : Check.FINDS_DAMAGE;
        verify(what, files, file, missing, check);
        if (cases % ON_REAL_FILES == 0) {
            onRealFiles(what, files, file, missing, check);
        }
    }

    private void harmless(String what, SmallLog.Files files) {
        verify(what, files, null, Set.of(), Check.FINDS_NO_DAMAGE);
        if (cases % ON_REAL_FILES == 0) {
            onRealFiles(what, files, null, Set.of(), Check.FINDS_NO_DAMAGE);
        }
    }

    private void onRealFiles(String what, SmallLog.Files files, String file, Set<Long> missing, Check check) {
        Path real = folder.resolve("case-" + cases);
        verify("on real files: " + what, DamagedDirectory.real(files, real), file, missing, check);
    }

    private void verify(String what, SmallLog.Files files, String file, Set<Long> missing, Check check) {
        cases++;
        verify(what, DamagedDirectory.simulated(files), file, missing, check);
    }

    /**
     * Opens the damaged directory again and again: reads, appends as a new writer, reads again.
     *
     * @param file the file that the check must report
     * @param missing the offsets that may be reported as damaged; all others must be readable
     */
    private void verify(String what, DamagedDirectory directory, String file, Set<Long> missing, Check check) {
        TreeMap<Long, Long> expected = new TreeMap<>(log.written());
        try {
            check(directory.check(), file, check);
            try (LogStore store = directory.open()) {
                compare(LogContent.read(store.log(log.topic(), 0)), expected, missing);
                lookEverywhere(store.log(log.topic(), 0), expected, missing);
            }
            try (LogStore store = directory.open()) {
                expected.putAll(log.append(store.log(log.topic(), 0), 2));
                compare(LogContent.read(store.log(log.topic(), 0)), expected, missing);
            }
            LogContent last;
            try (LogStore store = directory.open()) {
                compare(LogContent.read(store.log(log.topic(), 0)), expected, missing);
                expected.putAll(log.append(store.log(log.topic(), 0), 1));
                last = LogContent.read(store.log(log.topic(), 0));
                compare(last, expected, missing);
            }
            // A batch whose last byte, a zero, is missing becomes whole by the seal behind it, which begins with a
            // zero.
            boolean healed = check == Check.FINDS_DAMAGE && last.damages().isEmpty();
            check(directory.check(), file, healed ? Check.FINDS_SOMETHING : check);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + SEED + ": " + what, e);
        }
    }

    private static void check(CheckReport report, String file, Check check) {
        List<Finding> damage = Stores.damage(report);
        switch (check) {
            case FINDS_DAMAGE ->
                assertThat(damage)
                        .as("damage found by the check")
                        .anyMatch(finding -> finding.file().toString().endsWith(file));
            case FINDS_SOMETHING ->
                assertThat(report.findings())
                        .as("findings of the check")
                        .anyMatch(finding -> finding.file().toString().endsWith(file));
            case FINDS_NO_DAMAGE ->
                assertThat(damage).as("damage found by the check").isEmpty();
        }
    }

    private static void compare(LogContent content, SortedMap<Long, Long> expected, Set<Long> missing) {
        assertThat(content.start()).as("start").isZero();
        assertThat(content.skipped()).as("offsets passed over in silence").isEmpty();
        assertThat(content.end()).as("end").isEqualTo(expected.lastKey() + 1);
        Set<Long> reported = new TreeSet<>();
        for (DamagedLogException e : content.damages()) {
            for (long offset = e.firstOffset(); offset < e.nextOffset(); offset++) {
                reported.add(offset);
            }
        }
        expected.forEach((offset, number) -> {
            Long found = content.numberByOffset().get(offset);
            if (found != null) {
                assertThat(found).as("record at offset %d", offset).isEqualTo(number);
            } else if (!reported.contains(offset)) {
                fail("offset %d is missing and no error says so; errors: %s", offset, content.damages());
            } else {
                assertThat(missing)
                        .as("offset %d was not touched but cannot be read: %s", offset, content.damages())
                        .contains(offset);
            }
        });
        assertThat(reported)
                .as("reported as damaged, but readable")
                .doesNotContainAnyElementsOf(content.numberByOffset().keySet());
    }

    /** Asserts that a reader that begins in the middle gets the same. */
    private static void lookEverywhere(PartitionLog log, SortedMap<Long, Long> expected, Set<Long> missing) {
        for (long offset = 1; offset <= expected.lastKey(); offset += 5) {
            LogContent content = LogContent.read(log, offset);
            Set<Long> readable = expected.tailMap(offset).keySet().stream()
                    .filter(at -> !missing.contains(at))
                    .collect(Collectors.toSet());
            assertThat(content.numberByOffset().keySet())
                    .as("read from %d on, errors: %s", offset, content.damages())
                    .containsAll(readable);
        }
    }
}
