package dev.muster.it;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;

/** A real disk whose log files, those that records are appended to, are others than it gave. */
final class LogFiles {
    // Marks of the store, which it reads back at once, are in these files too.
    private static final int MARK_BYTES_MAX = 150;

    private LogFiles() {}

    interface Wrapping {
        DiskFile wrap(DiskFile log) throws IOException;
    }

    static Disk wrapped(Disk real, Wrapping wrapping) {
        return Spied.on(Disk.class, real, (name, args, call) -> {
            boolean log =
                    name.equals("openForAppend") && ((Path) args[0]).toString().endsWith(".log");
            return log ? wrapping.wrap((DiskFile) call.make()) : call.make();
        });
    }

    /** Whether so many bytes that are appended to a log file are records, and no mark. */
    static boolean areRecords(int bytes) {
        return bytes > MARK_BYTES_MAX;
    }
}
