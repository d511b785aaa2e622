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
import dev.muster.store.group.GroupViews;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The file {@code timeline.jsonl}: a line for each event except commits, in the order of the journal. A process that
 * extends the file adds all missing lines, including events of other processes. So gaps exist only where the journal
 * was trimmed. For one thread at a time.
 */
final class Timeline {
    static final String FILE = "timeline.jsonl";

    private final GroupJournal journal;
    /** The version below which the file is complete, as far as this process knows. */
    private long complete;

    Timeline(GroupJournal journal) {
        this.journal = journal;
    }

    /**
     * Adds the missing lines.
     *
     * @param end the version below which lines are added
     * @return False if another process is adding lines: call again a little later
     */
    boolean extend(GroupViews views, long end) {
        boolean done = views.extend(FILE, tail -> missing(tail, end));
        if (done) {
            complete = Math.max(complete, end);
        }
        return done;
    }

    /** The last version in the file, and the number of its lines. */
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
                    List<String> texts = texts(line);
                    // The process that wrote the last version may have died between two of its lines.
                    texts.stream()
                            .skip(line.version() == last.version() ? last.lines() : 0)
                            .forEach(one -> text.append(one).append('\n'));
                }
            }
            at = lines.getLast().version() + 1;
        }
        return text.toString();
    }

    /** Journal lines from a version on, or from the next readable one; empty at the end. */
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

    private static List<String> texts(Line line) {
        List<String> texts = new ArrayList<>();
        if (GroupJson.isSnapshot(line.text())) {
            return texts;
        }
        try {
            Entry entry = GroupJson.readEntry(line.text());
            for (Event event : entry.events()) {
                if (!GroupViewWriter.isCommit(event)) {
                    texts.add(TimelineLine.of(line.version(), entry, event));
                }
            }
        } catch (MusterException e) {
            // The line is damaged, or of a newer version of Muster. Reading the group's state reports that.
            texts.clear();
        }
        return texts;
    }
}
