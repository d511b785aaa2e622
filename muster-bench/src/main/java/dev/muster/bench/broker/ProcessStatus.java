package dev.muster.bench.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The figures in {@code /proc} about a process. */
public record ProcessStatus(long pid) {
    /** Linux reports processor time to programs in hundredths of a second. */
    private static final int TICK_MS = 10;
    /** The index after the name of the program, which may hold spaces: fields 14 and 15 of the manual. */
    private static final int USER_TICKS = 11;

    private static final int SYSTEM_TICKS = 12;

    /** The time of all threads since the start, in user code and in the kernel. */
    public Duration processorTime() {
        String stat = text("stat");
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        long ticks = Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
        return Duration.ofMillis(ticks * TICK_MS);
    }

    /** The mapped and present memory, as {@code ps} shows it. */
    public double residentMib() {
        return kib("status", "VmRSS:") / 1024;
    }

    /** The same, with memory of several processes divided among them. */
    public double proportionalMib() {
        return kib("smaps_rollup", "Pss:") / 1024;
    }

    private double kib(String name, String field) {
        return text(name)
                .lines()
                .filter(line -> line.startsWith(field))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + field + " in " + name + " of process " + pid));
    }

    private String text(String name) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
