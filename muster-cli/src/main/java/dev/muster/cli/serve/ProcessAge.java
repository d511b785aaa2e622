package dev.muster.cli.serve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * The age of this process, without the time in which the launcher built the program. The JDK's start time can be wrong
 * by a second, because the kernel tells the time of the boot in whole seconds. So the age is counted from the boot
 * where possible.
 */
final class ProcessAge {
    private static final int TICKS_PER_SECOND = 100;
    /** The index of the start time in {@code /proc/self/stat}, after the name of the program. */
    private static final int START_FIELD = 20;

    private ProcessAge() {}

    static long millis() {
        long all = all();
        long building = Long.getLong("muster.build.ms", 0);
        // The launcher's time comes from another clock, which may have been set since, or has whole seconds only.
        return building > 0 && building < all ? all - building : all;
    }

    private static long all() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", START_FIELD + 1);
            double up =
                    Double.parseDouble(Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0]);
            return Math.round(1_000 * (up - Double.parseDouble(fields[START_FIELD - 1]) / TICKS_PER_SECOND));
        } catch (IOException | RuntimeException e) {
            return ProcessHandle.current()
                    .info()
                    .startInstant()
                    .map(start -> Duration.between(start, Instant.now()).toMillis())
                    .orElse(0L);
        }
    }
}
