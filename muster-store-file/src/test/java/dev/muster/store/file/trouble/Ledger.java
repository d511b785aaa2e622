package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.store.PartitionLog;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The records sent to one partition and the results, as the senders know them. {@link #check} compares them with the
 * content of the log. In the words of Jepsen's queue checker: no lost write, no duplicate, no inconsistent offset,
 * nothing unsent. Safe for use by many threads.
 */
final class Ledger {
    private final Set<Long> sent = new HashSet<>();
    private final SortedMap<Long, Long> acknowledged = new TreeMap<>();
    private long visibleEnd;
    private long trimAsked;
    private long trimDone;
    private boolean gapsAllowed;

    /** Called before an append: from now on the records may be in the log. */
    synchronized void sending(long first, int count) {
        for (long number = first; number < first + count; number++) {
            assertThat(sent.add(number))
                    .as("the test sends number %d twice", number)
                    .isTrue();
        }
    }

    /** Called after a certain failure of an append: the records must never be seen. */
    synchronized void refused(long first, int count) {
        for (long number = first; number < first + count; number++) {
            sent.remove(number);
        }
    }

    synchronized void acknowledged(long offset, long first, int count) {
        for (int i = 0; i < count; i++) {
            Long before = acknowledged.put(offset + i, first + i);
            assertThat(before)
                    .as("offset %d was given to two records", offset + i)
                    .isNull();
        }
    }

    /** Called after a reader saw the log end here: it may have acted on the records before. */
    synchronized void seen(long end) {
        visibleEnd = Math.max(visibleEnd, end);
    }

    /** Called after a failed sync: readers may skip offsets of records that were not acknowledged. */
    synchronized void allowGaps() {
        gapsAllowed = true;
    }

    /** Trims to a random offset, once in a few calls. */
    synchronized void trimNowAndThen(PartitionLog log, Random random) {
        long start = log.startOffset();
        long end = log.endOffset();
        if (end > start && random.nextInt(4) == 0) {
            trim(log, start + random.nextLong(end - start + 1));
        }
    }

    /** Trims and records the new start. No check runs meanwhile. */
    synchronized void trim(PartitionLog log, long start) {
        trimAsked = Math.max(trimAsked, start);
        log.trim(start);
        trimDone = Math.max(trimDone, start);
    }

    synchronized int acknowledgedCount() {
        return acknowledged.size();
    }

    /** Asserts that no record is missing. */
    synchronized LogContent check(PartitionLog log) {
        LogContent content = compare(log);
        assertThat(content.end())
                .as("acknowledged records are lost")
                .isGreaterThan(acknowledged.isEmpty() ? -1 : acknowledged.lastKey());
        assertThat(content.end()).as("records that were visible are lost").isGreaterThanOrEqualTo(visibleEnd);
        return content;
    }

    /**
     * Asserts that the log is a prefix of the sent records. Lost records count as never sent from now on.
     *
     * @return the number of acknowledged records that are lost
     */
    synchronized int checkPrefix(PartitionLog log) {
        LogContent content = compare(log);
        int before = acknowledged.size();
        acknowledged.tailMap(content.end()).clear();
        visibleEnd = Math.min(visibleEnd, content.end());
        return before - acknowledged.size();
    }

    private LogContent compare(PartitionLog log) {
        LogContent content = LogContent.read(log);
        assertThat(content.damages()).as("damage").isEmpty();
        assertThat(content.start()).as("start of the log").isBetween(trimDone, trimAsked);
        if (!gapsAllowed) {
            assertThat(content.skipped()).as("offsets that were passed over").isEmpty();
        }
        assertThat(content.skipped())
                .as("offsets that were acknowledged or seen, and are passed over")
                .noneMatch(offset -> acknowledged.containsKey(offset) || offset < visibleEnd);
        Set<Long> seen = new HashSet<>();
        content.numberByOffset().forEach((offset, number) -> {
            assertThat(sent)
                    .as("record %d at offset %d was never sent, or refused", number, offset)
                    .contains(number);
            assertThat(seen.add(number))
                    .as("record %d occurs twice, again at offset %d", number, offset)
                    .isTrue();
            Long promised = acknowledged.get(offset);
            if (promised != null) {
                assertThat(number)
                        .as("offset %d holds another record than was acknowledged", offset)
                        .isEqualTo(promised);
            }
        });
        return content;
    }
}
