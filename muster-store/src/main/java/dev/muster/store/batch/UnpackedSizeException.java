package dev.muster.store.batch;

import java.io.IOException;

/** Compressed bytes unpack to more than the limit, or to more than there is memory for. */
final class UnpackedSizeException extends IOException {
    private final long bytesMax;
    private final boolean outOfMemory;

    UnpackedSizeException(long bytesMax) {
        super("it unpacks to more than " + bytesMax + " bytes");
        this.bytesMax = bytesMax;
        this.outOfMemory = false;
    }

    UnpackedSizeException(long bytesMax, OutOfMemoryError cause) {
        super("it unpacks to more than " + bytesMax + " bytes, and there is no memory for more", cause);
        this.bytesMax = bytesMax;
        this.outOfMemory = true;
    }

    long bytesMax() {
        return bytesMax;
    }

    boolean isOutOfMemory() {
        return outOfMemory;
    }
}
