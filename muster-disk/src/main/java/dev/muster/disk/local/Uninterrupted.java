package dev.muster.disk.local;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Runs a call on an interruptible channel with the interrupt flag put aside, so that an interrupt cannot close the
 * channel.
 */
final class Uninterrupted {
    interface Call<T> {
        T run() throws IOException;
    }

    private Uninterrupted() {}

    static <T> T call(Call<T> call) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return call.run();
                } catch (ClosedByInterruptException e) {
                    // The interrupt came in mid-call. The channel was the call's own: it may run again.
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
