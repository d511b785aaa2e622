package dev.muster.engine.group.view;

import dev.muster.core.MusterException;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.json.Json;
import dev.muster.core.json.JsonException;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The file {@code timeline.jsonl}: what happened, a line for each event but commits, in the order of the journal. The
 * process that extends it adds all lines that the file lacks, also those of other processes, so it has no gaps but
 * where the journal was trimmed. For one thread at a time.
 */
final class Timeline {
    static final String FILE = "timeline.jsonl";

    private final GroupJournal journal;
    /** The file has the lines of all versions below this one, as far as this process knows. */
    private long complete;

    Timeline(GroupJournal journal) {
        this.journal = journal;
    }

    /**
     * Adds what is missing.
     *
     * @param end versions below this one are added
     * @return false if another process is doing so: call again a little later
     */
    boolean extend(long end) {
        boolean done = journal.extend(FILE, tail -> missing(tail, end));
        if (done) {
            complete = Math.max(complete, end);
        }
        return done;
    }

    /** The last version that the file shows, and how many lines of it. */
    private record Last(long version, int lines) {}

    private static Last last(String tail) {
        long version = -1;
        int lines = 0;
        for (String line : tail.lines().toList()) {
            long next = version(line);
            lines = next == version ? lines + 1 : 1;
            version = next;
        }
        return new Last(version, lines);
    }

    private static long version(String line) {
        try {
            return Json.parse(line) instanceof Map<?, ?> object && object.get("version") instanceof Long version
                    ? version
                    : -1;
        } catch (JsonException e) {
            return -1;
        }
    }

    private String missing(String tail, long end) {
        Last last = last(tail);
        StringBuilder text = new StringBuilder();
        long at = Math.max(Math.max(last.version(), complete), journal.startVersion());
        while (at < end) {
            List<Line> lines = read(at);
            if (lines.isEmpty()) {
                break;
            }
            for (Line line : lines) {
                if (line.version() < end) {
                    List<String> told = told(line);
                    // Its writer may have died in the middle of an entry.
                    told.stream()
                            .skip(line.version() == last.version() ? last.lines() : 0)
                            .forEach(one -> text.append(one).append('\n'));
                }
            }
            at = lines.getLast().version() + 1;
        }
        return text.toString();
    }

    /** Lines from a version on, or from the next one that can be read; empty at the end. */
    private List<Line> read(long version) {
        long at = version;
        while (at < journal.endVersion()) {
            try {
                return journal.read(at);
            } catch (DamagedLogException e) {
                at = Math.max(at + 1, e.nextOffset());
            } catch (OffsetOutOfRangeException e) {
                at = Math.max(at + 1, journal.startVersion());
            }
        }
        return List.of();
    }

    private static List<String> told(Line line) {
        List<String> told = new ArrayList<>();
        if (GroupJson.isSnapshot(line.text())) {
            return told;
        }
        try {
            Entry entry = GroupJson.readEntry(line.text());
            for (Event event : entry.events()) {
                if (!GroupViewWriter.isCommit(event)) {
                    told.add(TimelineLine.of(line.version(), entry, event));
                }
            }
        } catch (MusterException e) {
            // The line is damaged, or of a newer version of Muster: reading the state from the journal reports that.
            told.clear();
        }
        return told;
    }
}
