package dev.muster.testkit.sim;

/** Thrown in the threads of a simulated process that is dead, so that they end. Nobody catches it on purpose. */
public final class ProcessEnded extends Error {
    private static final long serialVersionUID = 1;

    ProcessEnded(String process) {
        super(process + " is dead", null, false, false);
    }
}
