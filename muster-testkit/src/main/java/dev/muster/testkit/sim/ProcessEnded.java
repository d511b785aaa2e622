package dev.muster.testkit.sim;

/** Ends the threads of a dead simulated process. Code under test must not catch it. */
public final class ProcessEnded extends Error {
    private static final long serialVersionUID = 1;

    ProcessEnded(String process) {
        super(process + " is dead", null, false, false);
    }
}
