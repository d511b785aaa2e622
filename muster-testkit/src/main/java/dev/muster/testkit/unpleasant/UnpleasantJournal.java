package dev.muster.testkit.unpleasant;

import dev.muster.core.MusterException;
import dev.muster.store.StoreUnavailableException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupViews;
import dev.muster.store.group.LineTooLongException;
import dev.muster.store.watch.Registration;
import dev.muster.testkit.forward.ForwardingJournal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** A journal of an {@link UnpleasantStore}: its end is known late, its lines are short, and lines may come late. */
final class UnpleasantJournal extends ForwardingJournal {
    private final UnpleasantStore store;
    private final StaleValue end;
    /** A line whose append failed, and that is appended later if its version is still free then. */
    private Line late;

    UnpleasantJournal(UnpleasantStore store, GroupJournal target) {
        super(target);
        this.store = store;
        this.end = new StaleValue(store, target::endVersion);
    }

    @Override
    public boolean append(long version, String line) {
        long bytes = line.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > lineBytesMax() && store.trouble().makes(StoreMistake.LONG_LINE_CUT)) {
            return appendAny(version, line.substring(0, lineBytesMax()));
        }
        if (bytes > lineBytesMax()) {
            throw new LineTooLongException(group().value(), bytes, lineBytesMax());
        }
        return appendAny(version, line);
    }

    @Override
    public boolean appendSnapshot(long version, String line) {
        return appendAny(version, line);
    }

    private boolean appendAny(long version, String line) {
        appendLate();
        if (store.trouble().fails()) {
            store.trouble().countUnknown();
            switch (store.trouble().below(3)) {
                case 0 -> target().append(version, line);
                case 1 -> keepLate(new Line(version, line));
                default -> {
                    // The line never gets its place.
                }
            }
            throw new StoreUnavailableException("append to the journal of " + group(), null);
        }
        boolean done = target().append(version, line);
        end.confirm(version + 1);
        return done;
    }

    private synchronized void keepLate(Line line) {
        late = line;
    }

    private void appendLate() {
        Line line;
        synchronized (this) {
            if (late == null || !store.trouble().oneIn(2)) {
                return;
            }
            line = late;
            late = null;
        }
        try {
            target().append(line.version(), line.text());
        } catch (IllegalArgumentException | MusterException e) {
            // The journal is shorter than it was, or it is gone: so is the line.
            late = null;
        }
    }

    @Override
    public int lineBytesMax() {
        return UnpleasantStore.LINE_BYTES_MAX;
    }

    @Override
    public void awaitDurable(long endVersion) {
        store.reach("sync the journal of " + group());
        super.awaitDurable(endVersion);
        end.confirm(endVersion);
    }

    @Override
    public long endVersion() {
        return end.read();
    }

    @Override
    public List<Line> read(long version) {
        appendLate();
        store.reach("read the journal of " + group());
        List<Line> lines = super.read(version);
        if (!lines.isEmpty()) {
            end.confirm(lines.getLast().version() + 1);
        }
        return lines;
    }

    @Override
    public void trim(long version) {
        store.reach("trim the journal of " + group());
        super.trim(version);
    }

    /** Some wake-ups are lost. */
    @Override
    public Registration onAppend(Runnable wake) {
        return super.onAppend(() -> {
            if (!store.trouble().fails()) {
                wake.run();
            }
        });
    }

    @Override
    public Optional<GroupViews> views() {
        return Optional.empty();
    }
}
