package dev.muster.testkit.unpleasant;

import java.util.function.LongSupplier;

/** A growing number that a process reads from its memory: it never falls, and may be old since the last renewal. */
final class StaleValue {
    private final UnpleasantStore store;
    private final LongSupplier real;
    private long known;
    private long renewal = -1;

    StaleValue(UnpleasantStore store, LongSupplier real) {
        this.store = store;
        this.real = real;
    }

    /** The number as this process knows it. */
    long read() {
        long now = real.getAsLong();
        long renewals = store.renewals();
        synchronized (this) {
            if (renewal != renewals || !store.trouble().isStale()) {
                renewal = renewals;
                known = Math.max(known, now);
            }
            return known;
        }
    }

    /** The number as the store has it. */
    long fresh() {
        confirm(real.getAsLong());
        synchronized (this) {
            return known;
        }
    }

    /** This process knows that the number is at least so high. */
    synchronized void confirm(long value) {
        known = Math.max(known, value);
    }
}
