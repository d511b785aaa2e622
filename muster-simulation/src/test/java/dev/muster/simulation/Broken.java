package dev.muster.simulation;

/** An invariant does not hold. */
final class Broken extends AssertionError {
    private static final long serialVersionUID = 1;

    private final Invariant invariant;

    Broken(Invariant invariant, String how, Throwable cause) {
        super(invariant + ": " + how, cause);
        this.invariant = invariant;
    }

    Invariant invariant() {
        return invariant;
    }
}
