package dev.muster.store.file.log;

import dev.muster.disk.FileIdentity;
import dev.muster.store.file.log.segment.SegmentName;
import java.util.ArrayList;
import java.util.List;

/**
 * The files of one partition with records of this process that may not be acknowledged yet. Before a record is
 * acknowledged, the name of its segment must belong to the file that the record was written to. Safe for many threads.
 */
final class WrittenFiles {
    /** A segment, and the file that had its name when this process wrote to it. */
    record Written(SegmentName name, FileIdentity file) {}

    private volatile List<Written> files = List.of();

    /** Adds a file. Called before each write; costs a comparison if the file is the same as at the last call. */
    void add(SegmentName name, FileIdentity file) {
        List<Written> now = files;
        if (now.isEmpty() || !isSame(now.getLast(), name, file)) {
            append(new Written(name, file));
        }
    }

    private static boolean isSame(Written last, SegmentName name, FileIdentity file) {
        return last.file() == file || last.name().equals(name) && last.file().equals(file);
    }

    private synchronized void append(Written written) {
        List<Written> longer = new ArrayList<>(files);
        longer.add(written);
        files = List.copyOf(longer);
    }

    /** The files, in the order in which this process first wrote to them. */
    List<Written> list() {
        return files;
    }

    /** Removes files whose records are all below this offset and were found in their place. */
    synchronized void forgetBelow(long offset) {
        List<Written> now = files;
        int keep = 0;
        while (keep + 1 < now.size() && now.get(keep + 1).name().base() <= offset) {
            keep++;
        }
        if (keep > 0) {
            files = List.copyOf(now.subList(keep, now.size()));
        }
    }
}
