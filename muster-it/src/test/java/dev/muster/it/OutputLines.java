package dev.muster.it;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The output of a {@link Child}, read all the time: a process with unread output would block. Safe for many threads.
 */
final class OutputLines {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final List<String> lines = new ArrayList<>();
    private boolean over;

    private OutputLines() {}

    static OutputLines of(Child child) {
        OutputLines words = new OutputLines();
        Thread.ofPlatform().daemon().name("listens").start(() -> words.listen(child));
        return words;
    }

    private void listen(Child child) {
        try {
            for (String line = child.readLine(); line != null; line = child.readLine()) {
                add(line);
            }
        } catch (IOException e) {
            add("(" + e.getMessage() + ")");
        } finally {
            end();
        }
    }

    private synchronized void add(String line) {
        lines.add(line);
        notifyAll();
    }

    private synchronized void end() {
        over = true;
        notifyAll();
    }

    /** The number of lines so far. */
    synchronized int count() {
        return lines.size();
    }

    /**
     * Waits until this number of lines after the first {@code from} match, or until the output ends.
     *
     * @return True if there were as many
     */
    synchronized boolean awaitMore(int from, Predicate<String> such, int wanted) throws InterruptedException {
        int found = 0;
        for (int next = from; found < wanted; ) {
            while (next == lines.size() && !over) {
                hearMore(found + " of " + wanted + " lines that were waited for");
            }
            if (next == lines.size()) {
                return false;
            }
            found += such.test(lines.get(next++)) ? 1 : 0;
        }
        return true;
    }

    /** The whole output, after its end. */
    synchronized List<String> awaitEnd() throws InterruptedException {
        while (!over) {
            hearMore("no end");
        }
        return List.copyOf(lines);
    }

    /** Waits for one more line, or the end. Fails after a long time without output. */
    private synchronized void hearMore(String soFar) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        int before = lines.size();
        while (lines.size() == before && !over) {
            long leftMs = (deadline - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                throw new AssertionError(soFar + ", and nothing in " + PATIENCE + "; the last ones: "
                        + lines.subList(Math.max(0, lines.size() - 3), lines.size()));
            }
            wait(leftMs);
        }
    }
}
