package dev.muster.it;

import java.io.IOException;

/**
 * The signal to end for a process that a test started: a line of input, or the end of the input.
 * {@code System.in.available()} does not suffice: at the end of the input it returns 0 for ever.
 */
final class LastWord {
    private volatile boolean heard;

    private LastWord() {}

    /** Starts to wait. No other code may read the input from now on. */
    static LastWord await() {
        LastWord word = new LastWord();
        Thread.ofPlatform().daemon().name("listens to the test").start(word::hear);
        return word;
    }

    private void hear() {
        try {
            System.in.read();
        } catch (IOException e) {
            // A failed read counts as the end too.
            System.err.println("cannot hear the test: " + e);
        } finally {
            heard = true;
        }
    }

    boolean isHeard() {
        return heard;
    }
}
