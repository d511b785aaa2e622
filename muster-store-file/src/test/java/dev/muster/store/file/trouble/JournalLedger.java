package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.Line;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The calls of a journal and their results, with which its lines are compared. Safe for many threads. */
final class JournalLedger {
    private final Map<Long, Set<String>> attempts = new HashMap<>();
    private final TreeMap<Long, String> accepted = new TreeMap<>();
    private final TreeSet<Long> trims = new TreeSet<>(Set.of(0L));
    private long durableEnd;
    private int durableLines;
    private int refused;
    private int lost;
    private long lines;

    /** Appends a unique line. */
    boolean append(GroupJournal journal, long version) {
        String text = line(version);
        boolean won = journal.append(version, text);
        synchronized (this) {
            if (won) {
                assertThat(accepted.put(version, text))
                        .as("another line that was told to have version %d", version)
                        .isNull();
            } else {
                refused++;
            }
        }
        return won;
    }

    private synchronized String line(long version) {
        String text = "{\"line\":" + lines++ + ",\"padding\":\"" + "x".repeat((int) (lines * 37 % 400)) + "\"}";
        attempts.computeIfAbsent(version, _ -> new HashSet<>()).add(text);
        return text;
    }

    void awaitDurable(GroupJournal journal, long endVersion) {
        journal.awaitDurable(endVersion);
        synchronized (this) {
            durableEnd = Math.max(durableEnd, endVersion);
            durableLines++;
        }
    }

    void trim(GroupJournal journal, long version) {
        synchronized (this) {
            trims.add(version);
        }
        journal.trim(version);
        synchronized (this) {
            durableEnd = Math.max(durableEnd, version);
        }
    }

    /** Asserts, while the power is on, that every accepted line is there. */
    synchronized void check(GroupJournal journal) {
        List<Line> there = compare(journal);
        long end = there.isEmpty() ? journal.endVersion() : there.getLast().version() + 1;
        if (!accepted.isEmpty()) {
            assertThat(end).as("end of the journal").isGreaterThan(accepted.lastKey());
        }
    }

    /**
     * Asserts, after a power cut, that all awaited lines are there and the surviving lines are a prefix. The ledger
     * continues with these lines.
     */
    synchronized void checkAfterCut(GroupJournal journal) {
        compare(journal);
        long end = journal.endVersion();
        assertThat(end).as("end of the journal, of which so much was durable").isGreaterThanOrEqualTo(durableEnd);
        Map<Long, String> gone = accepted.tailMap(end);
        lost += gone.size();
        gone.clear();
        attempts.keySet().removeIf(version -> version >= end);
    }

    private List<Line> compare(GroupJournal journal) {
        List<Line> there = all(journal);
        long expected = journal.startVersion();
        assertThat(trims).as("where the journal may begin").contains(expected);
        for (Line line : there) {
            // Other processes may have trimmed meanwhile. A gap has no other valid reason.
            if (line.version() != expected) {
                assertThat(trims).contains(line.version());
            }
            expected = line.version() + 1;
            assertThat(attempts.getOrDefault(line.version(), Set.of()))
                    .as("lines that were to become version %d", line.version())
                    .contains(line.text());
            String told = accepted.get(line.version());
            if (told != null) {
                assertThat(line.text()).isEqualTo(told);
            }
        }
        return there;
    }

    private static List<Line> all(GroupJournal journal) {
        List<Line> lines = new ArrayList<>();
        long next = journal.startVersion();
        while (true) {
            try {
                List<Line> read = journal.read(next);
                if (read.isEmpty()) {
                    return lines;
                }
                lines.addAll(read);
                next = read.getLast().version() + 1;
            } catch (OffsetOutOfRangeException e) {
                // Another process has trimmed meanwhile.
                assertThat(next).as("where reading failed: %s", e.getMessage()).isLessThan(e.startOffset());
                next = e.startOffset();
            }
        }
    }

    synchronized int accepted() {
        return accepted.size() + lost;
    }

    synchronized int durableLines() {
        return durableLines;
    }

    synchronized int refused() {
        return refused;
    }

    synchronized int lost() {
        return lost;
    }
}
