package dev.muster.cli.produce;

import dev.muster.cli.command.StopSignal;
import dev.muster.cli.text.Rate;

/**
 * Limits a sender to a rate. A sender that was delayed catches up for at most a second, then starts counting afresh.
 */
final class RateLimit {
    private static final long CATCH_UP_NANOS = 1_000_000_000L;

    private final Rate rate;
    private final StopSignal stop;
    private long startNanos;
    private long sent;

    /** @param rate null for no limit */
    RateLimit(Rate rate, StopSignal stop) {
        this.rate = rate;
        this.stop = stop;
    }

    /** Waits until the next record is due; false if the signal came first. */
    boolean await() {
        if (rate == null) {
            return true;
        }
        long now = System.nanoTime();
        if (sent == 0 || now - (startNanos + rate.dueNanos(sent)) > CATCH_UP_NANOS) {
            startNanos = now;
            sent = 0;
        }
        long waitNanos = startNanos + rate.dueNanos(sent) - now;
        sent++;
        return waitNanos > 0 ? !stop.await(waitNanos) : !stop.isRaised();
    }
}
