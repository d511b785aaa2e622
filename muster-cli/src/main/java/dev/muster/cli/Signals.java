package dev.muster.cli;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.StopSignal;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets a command end in order after a signal (SIGINT, SIGTERM). The JVM runs this as a shutdown hook, and then reports
 * the signal as the exit code (130, 143).
 */
final class Signals {
    private final CountDownLatch finished = new CountDownLatch(1);

    private Signals() {}

    static Signals stopping(StopSignal stop) {
        Signals signals = new Signals();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> signals.stop(stop), "muster-stop"));
        return signals;
    }

    private void stop(StopSignal stop) {
        if (finished.getCount() == 0) {
            return;
        }
        stop.raise();
        try {
            if (!finished.await(stop.graceMs(), TimeUnit.MILLISECONDS)) {
                // The command is blocked in a write that is not read, or on a dead disk. Acknowledged records are safe.
                Runtime.getRuntime().halt(ExitCode.INTERRUPTED.code());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The command has ended; from now on a signal has nothing to stop. */
    void finished() {
        finished.countDown();
    }
}
