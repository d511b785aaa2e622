package dev.muster.it;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;

/** A real disk with other implementations of its log files. */
final class LogFiles {
    // These files contain marks of the store too, which it reads back at once.
    private static final int MARK_BYTES_MAX = 150;

    private LogFiles() {}

    interface Wrapping {
        DiskFile wrap(DiskFile log) throws IOException;
    }

    static Disk wrapped(Disk real, Wrapping wrapping) {
        return Intercepted.on(Disk.class, real, (name, args, call) -> {
            boolean log =
                    name.equals("openForAppend") && ((Path) args[0]).toString().endsWith(".log");
            return log ? wrapping.wrap((DiskFile) call.make()) : call.make();
        });
    }

    /** True if an append of this size to a log file is of records, and not of a mark. */
    static boolean areRecords(int bytes) {
        return bytes > MARK_BYTES_MAX;
    }
}
