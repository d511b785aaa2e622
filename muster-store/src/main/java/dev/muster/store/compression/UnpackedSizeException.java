package dev.muster.store.compression;

import java.io.IOException;

/** Compressed bytes unpack to more than the limit, or to more than this process has memory for. */
public final class UnpackedSizeException extends IOException {
    private final long bytesMax;
    private final boolean outOfMemory;

    /** @param bytesMax the number of bytes that the compressed bytes may unpack to */
    public UnpackedSizeException(long bytesMax) {
        super("it unpacks to more than " + bytesMax + " bytes");
        this.bytesMax = bytesMax;
        this.outOfMemory = false;
    }

    UnpackedSizeException(long bytesMax, OutOfMemoryError cause) {
        super("it unpacks to more than " + bytesMax + " bytes, and there is no memory for more", cause);
        this.bytesMax = bytesMax;
        this.outOfMemory = true;
    }

    /** The number of bytes that the compressed bytes may unpack to, or that there was memory for. */
    public long bytesMax() {
        return bytesMax;
    }

    /** True if the memory ended before the limit was reached. */
    public boolean isOutOfMemory() {
        return outOfMemory;
    }
}
