package dev.muster.store.file.log.recovery;

import dev.muster.disk.Disk;
import dev.muster.store.file.log.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The segments of a partition, oldest first: the files in its folder without those that a cut made void. A segment also
 * ends where one of a later generation begins, so the names alone decide what counts.
 */
public final class SegmentList {
    private SegmentList() {}

    public static List<SegmentName> read(Disk disk, Path folder, Checkpoint.Facts facts) throws IOException {
        return of(disk.list(folder), facts);
    }

    static List<SegmentName> of(List<String> files, Checkpoint.Facts facts) {
        List<SegmentName> names = new ArrayList<>();
        for (String file : files) {
            SegmentName.parse(file).filter(facts::exists).ifPresent(names::add);
        }
        names.sort(null);
        List<SegmentName> living = new ArrayList<>();
        for (SegmentName name : names) {
            while (!living.isEmpty() && replaces(name, living.getLast())) {
                living.removeLast();
            }
            if (living.isEmpty() || living.getLast().generation() <= name.generation()) {
                living.add(name);
            }
        }
        return List.copyOf(living);
    }

    private static boolean replaces(SegmentName later, SegmentName earlier) {
        return later.base() == earlier.base() && later.generation() > earlier.generation();
    }

    /** The index of the last segment that begins at or below the offset; -1 if all begin above it. */
    public static int floor(List<SegmentName> names, long offset) {
        int low = 0;
        int high = names.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (names.get(middle).base() <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }
}
