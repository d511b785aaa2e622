package dev.muster.disk.local;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Runs a call on an interruptible channel with the interrupt flag cleared, so that an interrupt does not make the call
 * fail. The flag is set again afterwards.
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
                    // The interrupt came during the call. The channel belonged to the call alone, so the call may run
                    // again.
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
