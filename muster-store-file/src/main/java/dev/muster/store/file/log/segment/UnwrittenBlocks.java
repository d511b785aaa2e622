package dev.muster.store.file.log.segment;

import dev.muster.disk.DiskFile;
import java.io.IOException;

/**
 * Distinguishes bytes lost in a power cut from bytes damaged by a failing disk. A power cut leaves zeros in place of
 * blocks that had not reached the disk: a run that ends at a page, or begins and ends at a sector. A flipped bit leaves
 * no such run.
 */
public final class UnwrittenBlocks {
    private static final int PAGE = 4096;
    private static final int SECTOR = 512;
    public static final int RUN_MIN = 16;
    /** Records have zeros of their own, which make a run longer than the missing blocks. */
    private static final int OWN_ZEROS_MAX = 16;

    private UnwrittenBlocks() {}

    /**
     * True if this range of a file has signs of blocks that were never written.
     *
     * @param headRunMin the number of zeros at the very beginning, up to the end of a sector, that count as a sign.
     *     Each entry begins with some zeros of its own, so a few zeros are a weak sign. A weak sign is enough only if
     *     the records were not promised to be durable
     */
    public static boolean in(DiskFile file, long from, long until, int headRunMin) throws IOException {
        byte[] bytes = new byte[64 << 10];
        // The next entry may begin with zeros of its own, so the end of the run is searched behind {@code until}.
        long limit = Math.min(file.size(), until + 2 * OWN_ZEROS_MAX);
        long runStart = -1;
        for (long at = from; at < limit; ) {
            int length = file.read(at, bytes, 0, (int) Math.min(bytes.length, limit - at));
            if (length == 0) {
                break;
            }
            for (int i = 0; i < length; i++) {
                boolean zero = bytes[i] == 0;
                if (zero && runStart < 0 && at + i < until) {
                    runStart = at + i;
                } else if (!zero && runStart >= 0) {
                    if (isUnwritten(runStart, at + i, from, headRunMin)) {
                        return true;
                    }
                    runStart = -1;
                }
            }
            at += length;
        }
        boolean toTheEndOfTheFile = limit < until + 2 * OWN_ZEROS_MAX && limit - runStart >= RUN_MIN;
        return runStart >= 0 && (toTheEndOfTheFile || isUnwritten(runStart, limit, from, headRunMin));
    }

    private static boolean isUnwritten(long start, long end, long from, int headRunMin) {
        if (end - start < (start == from ? headRunMin : RUN_MIN)) {
            return false;
        }
        boolean endsAtPage = end / PAGE * PAGE > start && end % PAGE <= OWN_ZEROS_MAX;
        boolean endsAtSector = end / SECTOR * SECTOR > start && end % SECTOR <= OWN_ZEROS_MAX;
        boolean startsAtSector = start == from || (SECTOR - start % SECTOR) % SECTOR <= OWN_ZEROS_MAX;
        return endsAtPage || startsAtSector && endsAtSector;
    }
}
