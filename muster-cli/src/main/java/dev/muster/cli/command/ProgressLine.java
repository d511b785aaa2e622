package dev.muster.cli.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A line on stderr that shows the progress of long work. Appears only on a terminal and only after a second; disappears
 * when the work is done. For one thread.
 */
public final class ProgressLine {
    private static final long EVERY_NANOS = 1_000_000_000L;
    /** The clock is read once per this number of steps: reading it costs as much as a small record. */
    private static final int LOOK_EVERY = 1 << 10;

    private final Session session;
    private final String unit;
    private final boolean enabled;
    private final long startNanos = System.nanoTime();
    private long shownNanos = startNanos;
    private long shownCount;
    private long count;
    private boolean visible;

    public ProgressLine(Session session, String unit, boolean enabled) {
        this.session = session;
        this.unit = unit;
        this.enabled = enabled && session.terminal().err();
    }

    public void advance() {
        count++;
        if (enabled && count % LOOK_EVERY == 0) {
            look();
        }
    }

    /** Sets the count, for work that counts itself. */
    public void at(long done) {
        count = done;
        if (enabled) {
            look();
        }
    }

    private void look() {
        long now = System.nanoTime();
        if (now - shownNanos >= EVERY_NANOS) {
            long perSecond = Math.round((count - shownCount) * 1e9 / (now - shownNanos));
            write("\r\u001b[K" + count + " " + unit + ", " + perSecond + "/s");
            shownNanos = now;
            shownCount = count;
            visible = true;
        }
    }

    public void clear() {
        if (visible) {
            write("\r\u001b[K");
            visible = false;
        }
    }

    public long elapsedMs() {
        return (System.nanoTime() - startNanos) / 1_000_000;
    }

    private void write(String text) {
        try {
            session.err().write(text.getBytes(StandardCharsets.UTF_8));
            session.err().flush();
        } catch (IOException e) {
            visible = false;
        }
    }
}
