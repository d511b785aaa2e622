package dev.muster.engine.group.repair;

import dev.muster.core.group.Group;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.json.BadLineException;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.repair.JournalDamage;
import dev.muster.core.group.repair.RebuiltGroup;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.Line;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** The readable lines of a damaged journal, from its start to its end, and the damage. For one thread; used once. */
final class JournalSurvey {
    private static final int ATTEMPTS = 10;

    private final GroupJournal journal;
    private final List<JournalDamage> damages = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();
    private final Set<HostId> writers = new TreeSet<>();
    private long start;
    private long end;
    private OptionalLong snapshot = OptionalLong.empty();
    private Group before = Group.empty();
    private int linesBefore;
    private int linesBehind;

    private JournalSurvey(GroupJournal journal) {
        this.journal = journal;
    }

    static JournalSurvey of(GroupJournal journal) {
        for (int i = 1; ; i++) {
            try {
                JournalSurvey survey = new JournalSurvey(journal);
                survey.read();
                return survey;
            } catch (OffsetOutOfRangeException e) {
                // Another process trims the journal while it is read.
                if (i == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void read() {
        start = journal.startVersion();
        end = journal.endVersion();
        long at = start;
        while (at < end) {
            try {
                List<Line> more = journal.read(at);
                if (more.isEmpty()) {
                    break;
                }
                lines.addAll(more);
                at = more.getLast().version() + 1;
            } catch (DamagedLogException e) {
                long next = Math.max(at + 1, e.nextOffset());
                damages.add(
                        new JournalDamage(Optional.of(e.file()), e.filePosition(), e.firstOffset(), next, e.problem()));
                at = next;
            }
        }
        end = Math.max(end, at);
    }

    /** Rebuilds the state from the lines that were read. */
    RebuiltGroup rebuild() {
        int from = lastSnapshot();
        long known = from < 0 ? start : lines.get(from).version();
        damages.removeIf(damage -> damage.nextVersion() <= known);
        int next = Math.max(from, 0);
        for (; next < lines.size(); next++) {
            Line line = lines.get(next);
            if (!damages.isEmpty() && damages.getFirst().firstVersion() < line.version()) {
                break;
            }
            try {
                before = GroupJson.replay(before, line.text());
                wrote(line);
                linesBefore++;
            } catch (BadLineException e) {
                damages.addFirst(bad(line, e));
                break;
            }
        }
        RebuiltGroup rebuilt = new RebuiltGroup(before);
        for (; next < lines.size(); next++) {
            takeOnItsOwn(lines.get(next), rebuilt);
        }
        return rebuilt;
    }

    private void takeOnItsOwn(Line line, RebuiltGroup rebuilt) {
        if (damages.getFirst().firstVersion() == line.version()) {
            return;
        }
        try {
            Entry entry = GroupJson.readEntry(line.text());
            writers.add(entry.by());
            rebuilt.take(line.version(), entry);
            linesBehind++;
        } catch (BadLineException e) {
            damages.add(bad(line, e));
        }
    }

    private void wrote(Line line) {
        if (!GroupJson.isSnapshot(line.text())) {
            writers.add(GroupJson.readEntry(line.text()).by());
        }
    }

    private static JournalDamage bad(Line line, BadLineException e) {
        return new JournalDamage(Optional.empty(), -1, line.version(), line.version() + 1, e.problem());
    }

    /** The index of the last readable snapshot; -1 if there is none. */
    private int lastSnapshot() {
        for (int i = lines.size() - 1; i >= 0; i--) {
            if (GroupJson.isSnapshot(lines.get(i).text()) && isWhole(lines.get(i))) {
                snapshot = OptionalLong.of(lines.get(i).version());
                return i;
            }
        }
        return -1;
    }

    private static boolean isWhole(Line line) {
        try {
            GroupJson.replay(Group.empty(), line.text());
            return true;
        } catch (BadLineException e) {
            // The line is listed as damage later.
            return false;
        }
    }

    /** The damage behind the last good snapshot; empty before {@link #rebuild}. */
    List<JournalDamage> damages() {
        return damages.stream()
                .sorted(Comparator.comparingLong(JournalDamage::firstVersion))
                .toList();
    }

    /** The processes that wrote entries behind the last good snapshot. */
    Set<HostId> writers() {
        return writers;
    }

    /** The state in front of the first damage. */
    Group before() {
        return before;
    }

    /** The version that the next line gets. */
    long end() {
        return end;
    }

    /** The version of the last good snapshot; empty if there is none. */
    OptionalLong snapshot() {
        return snapshot;
    }

    /** The number of lines before the first damage that count, including the snapshot. */
    int linesBefore() {
        return linesBefore;
    }

    /** The number of readable entries behind the first damage. */
    int linesBehind() {
        return linesBehind;
    }
}
