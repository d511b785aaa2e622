package dev.muster.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Compares {@link System#nanoTime} with the kernel's uptime. On Linux {@code nanoTime} is the time since the machine
 * started, without the time that it slept. It is the same for all processes, unless a program between the process and
 * the kernel changes it.
 */
final class MonotonicClock {
    /** True if the monotonic clock of this process may be the kernel's: it is not ahead of the uptime. */
    static final boolean IS_SHARED = isWithin(Path.of("/proc/uptime"), System.nanoTime());

    private static final long TOLERANCE_SECONDS = 60;

    private MonotonicClock() {}

    static boolean isWithin(Path uptime, long nanos) {
        try {
            double seconds = Double.parseDouble(Files.readString(uptime).split(" ", 2)[0]);
            return TimeUnit.NANOSECONDS.toSeconds(nanos) <= seconds + TOLERANCE_SECONDS;
        } catch (IOException | NumberFormatException e) {
            // No such file outside Linux.
            return true;
        }
    }
}
