package dev.muster.store.file.log.recovery;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.file.log.segment.SegmentScan;
import dev.muster.store.file.log.segment.SparseIndex;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/**
 * Checks that a control page has the end of its log. An older copy of the page may have been written over it in its own
 * file, where the stamp of the page is right. The page also has a lower end after a writer was killed between its write
 * and the update of the page.
 */
public final class OldPage {
    /** The time within which a living writer raises the end on the page after its write. */
    private static final long IN_FLIGHT_NANOS = 10_000_000;

    private OldPage() {}

    /**
     * True if the log has records above the page's end. Reads the log from the last index entry below that end on.
     * Changes nothing.
     */
    public static boolean isBehindLog(ControlPage page, PartitionKey key, Disk disk) throws IOException {
        long end = endOfLog(page.writtenEnd(), key, disk);
        if (end <= page.writtenEnd()) {
            return false;
        }
        disk.machine().pause(IN_FLIGHT_NANOS);
        return end > page.writtenEnd();
    }

    /** @param known the end on the page; records below it exist */
    private static long endOfLog(long known, PartitionKey key, Disk disk) throws IOException {
        Checkpoint.Facts facts = new Checkpoint(disk, key.folder()).read();
        List<SegmentName> names = SegmentList.read(disk, key.folder(), facts);
        if (names.isEmpty() || facts.cutOf(names.getLast()) != Long.MAX_VALUE) {
            return known;
        }
        SegmentName last = names.getLast();
        try (DiskFile file = disk.open(key.folder().resolve(last.logFile()))) {
            SparseIndex.Entry from = SparseIndex.load(disk, key.folder().resolve(last.indexFile()))
                    .floor(known);
            SegmentScan scan = from != null && SparseIndex.agrees(file, from)
                    ? new SegmentScan(key, last, file, from.position(), from.offset(), known, false)
                    : new SegmentScan(key, last, file, 0, last.base(), known, false);
            while (true) {
                switch (scan.next()) {
                    case SegmentScan.Entry.Seal _, SegmentScan.Entry.End _ -> {
                        return scan.nextOffset();
                    }
                    case SegmentScan.Entry.Damage _ -> {
                        // The page is the better source: recovery of a damaged log could find only a lower end.
                        return known;
                    }
                    case SegmentScan.Entry.Batch _, SegmentScan.Entry.Open _, SegmentScan.Entry.Dead _ -> {}
                }
            }
        } catch (NoSuchFileException e) {
            // Retention removed the segment meanwhile, so other processes are working with this page.
            return known;
        }
    }
}
