package dev.muster.it;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What a {@link Child} says, heard all the time: one whose words nobody takes would stand still. For all threads. */
final class Words {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final List<String> lines = new ArrayList<>();
    private boolean over;

    private Words() {}

    static Words of(Child child) {
        Words words = new Words();
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

    /** How many lines there are. */
    synchronized int count() {
        return lines.size();
    }

    /**
     * Waits until so many lines behind the first {@code from} are such, or it has nothing more to say.
     *
     * @return whether there were so many
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

    /** Everything it said, once it is over. */
    synchronized List<String> awaitEnd() throws InterruptedException {
        while (!over) {
            hearMore("no end");
        }
        return List.copyOf(lines);
    }

    /** Waits for one more line, or the end. Who talks may take its time; who is silent for too long is given up. */
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
