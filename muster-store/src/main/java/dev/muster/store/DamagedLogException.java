package dev.muster.store;

import dev.muster.core.MusterException;

/**
 * Bytes of the log are not what was written: a flipped bit, a hole, a cut file. The records at these offsets cannot be
 * delivered; the records before and behind them can. Nothing was changed on disk.
 */
public final class DamagedLogException extends MusterException {
    private final String file;
    private final long filePosition;
    private final long firstOffset;
    private final long nextOffset;
    private final String problem;

    public DamagedLogException(String file, long filePosition, long firstOffset, long nextOffset, String problem) {
        super(
                "damaged log: " + file + " at byte " + filePosition + ": " + problem + "; offsets " + firstOffset
                        + " to " + (nextOffset - 1) + " cannot be read",
                "records before and behind are readable; restore the file from a copy, or see muster check");
        this.file = file;
        this.filePosition = filePosition;
        this.firstOffset = firstOffset;
        this.nextOffset = nextOffset;
        this.problem = problem;
    }

    /** The description of what is wrong with the bytes. */
    public String problem() {
        return problem;
    }

    public String file() {
        return file;
    }

    public long filePosition() {
        return filePosition;
    }

    /** The first offset that is lost. */
    public long firstOffset() {
        return firstOffset;
    }

    /** The offset at which reading can go on. */
    public long nextOffset() {
        return nextOffset;
    }
}
