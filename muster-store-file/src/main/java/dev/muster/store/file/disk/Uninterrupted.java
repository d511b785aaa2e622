package dev.muster.store.file.disk;

import java.io.IOException;

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
            return call.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
