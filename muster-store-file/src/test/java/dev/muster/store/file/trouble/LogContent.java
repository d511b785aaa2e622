package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.store.DamagedLogException;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import dev.muster.testkit.NumberedRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The content of a partition from start to end as a reader gets it: the numbered record at each offset, and the
 * reported damage. Reading it asserts that each record is as it was sent.
 *
 * @param skipped the offsets that were skipped without an error, because their sync failed
 */
public record LogContent(
        long start,
        long end,
        SortedMap<Long, Long> numberByOffset,
        Set<Long> skipped,
        List<DamagedLogException> damages) {
    private static final int BYTES = 1 << 16;

    public static LogContent read(PartitionLog log) {
        return read(log, log.startOffset());
    }

    public static LogContent read(PartitionLog log, long from) {
        SortedMap<Long, Long> records = new TreeMap<>();
        Set<Long> skipped = new TreeSet<>();
        List<DamagedLogException> damages = new ArrayList<>();
        long end = log.endOffset();
        long next = from;
        try (LogReader reader = log.reader(from)) {
            while (next < end) {
                assertThat(reader.position()).isEqualTo(next);
                try {
                    LogSlice slice = reader.read(BYTES);
                    if (slice.isEmpty()) {
                        assertThat(slice.nextOffset())
                                .as("nothing at offset %d, though the log ends at %d", next, end)
                                .isGreaterThan(next);
                    }
                    next = take(slice, next, records, skipped);
                } catch (DamagedLogException e) {
                    assertThat(e.firstOffset())
                            .as("damage begins where reading stopped: %s", e)
                            .isLessThanOrEqualTo(next);
                    assertThat(e.nextOffset())
                            .as("damage that ends before it begins: %s", e)
                            .isGreaterThan(next);
                    assertThat(e.file()).isNotBlank();
                    damages.add(e);
                    next = e.nextOffset();
                    reader.seek(next);
                }
            }
        }
        return new LogContent(from, Math.max(end, next), records, skipped, damages);
    }

    private static long take(LogSlice slice, long next, SortedMap<Long, Long> records, Set<Long> skipped) {
        BatchDecoder decoder = BatchDecoder.over(slice.bytes());
        long expected = next;
        while (decoder.next()) {
            if (decoder.offset() < next) {
                continue; // the batch begins below the requested offset
            }
            assertThat(decoder.offset()).as("offsets rise").isGreaterThanOrEqualTo(expected);
            while (expected < decoder.offset()) {
                skipped.add(expected++);
            }
            long number = NumberedRecords.number(decoder.value());
            assertThat(decoder.timestamp()).isEqualTo(NumberedRecords.timestamp(number));
            records.put(expected++, number);
        }
        assertThat(slice.nextOffset()).isGreaterThanOrEqualTo(expected);
        while (expected < slice.nextOffset()) {
            skipped.add(expected++);
        }
        return expected;
    }

    /** The offsets that were reported to a reader as damaged. */
    boolean isDamaged(long offset) {
        return damages.stream().anyMatch(e -> e.firstOffset() <= offset && offset < e.nextOffset());
    }
}
