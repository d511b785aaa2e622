package dev.muster.bench.measure;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The processor time that this process has used. */
public final class ProcessorTime {
    private static final Path TASKS = Path.of("/proc/self/task");

    private ProcessorTime() {}

    /**
     * The time of the living threads in nanoseconds, if the kernel provides it; otherwise that of the process, in
     * coarser steps.
     */
    public static long nanos() throws IOException {
        if (!Files.isReadable(
                TASKS.resolve(Long.toString(ProcessHandle.current().pid())).resolve("schedstat"))) {
            return coarseNanos();
        }
        long sum = 0;
        try (var tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                sum += nanosOf(task);
            }
        }
        return sum;
    }

    /** The time of all threads, including ended ones, in steps of some milliseconds. */
    public static long coarseNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static long nanosOf(Path task) throws IOException {
        try {
            String text = Files.readString(task.resolve("schedstat"));
            return Long.parseLong(text.substring(0, text.indexOf(' ')));
        } catch (NoSuchFileException ended) {
            return 0;
        }
    }
}
