package dev.muster.it;

import java.io.IOException;

/**
 * The signal to end for a process that a test started: a line of input, or the end of the input.
 * {@code System.in.available()} does not suffice: at the end of the input it returns 0 for ever.
 */
final class EndSignal {
    private volatile boolean given;

    private EndSignal() {}

    /** Starts to wait. No other code may read the input from now on. */
    static EndSignal await() {
        EndSignal signal = new EndSignal();
        Thread.ofPlatform().daemon().name("end signal").start(signal::read);
        return signal;
    }

    private void read() {
        try {
            System.in.read();
        } catch (IOException e) {
            // A failed read counts as the end too.
            System.err.println("cannot read the test's signal: " + e);
        } finally {
            given = true;
        }
    }

    boolean isGiven() {
        return given;
    }
}
