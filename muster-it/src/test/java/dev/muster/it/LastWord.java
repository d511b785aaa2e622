package dev.muster.it;

import java.io.IOException;

/**
 * What a process that a test started waits for while it works: to be told to end, or that nobody is left who could tell
 * it. {@code System.in.available()} would not do: behind the end of the input it says for ever that there is nothing.
 */
final class LastWord {
    private volatile boolean heard;

    private LastWord() {}

    /** From now on nobody else may read the input. */
    static LastWord await() {
        LastWord word = new LastWord();
        Thread.ofPlatform().daemon().name("listens to the test").start(word::hear);
        return word;
    }

    private void hear() {
        try {
            System.in.read();
        } catch (IOException e) {
            // Nobody can be heard any more, which is an end as well.
            System.err.println("cannot hear the test: " + e);
        } finally {
            heard = true;
        }
    }

    boolean isHeard() {
        return heard;
    }
}
