package dev.muster.disk;

import java.io.IOException;
import java.nio.file.FileSystemException;

/** The disk, or the user's share of it, is full (ENOSPC, EDQUOT, EFBIG). */
public final class NoRoomException extends IOException {
    public NoRoomException(String message) {
        super(message);
    }

    /**
     * The same failure, or a {@link NoRoomException} if the disk is full. The JDK has no exception type for a full
     * disk, so the text of the failure decides.
     */
    public static IOException orSame(IOException failure) {
        // Without the path, which may contain any text.
        String reason = String.valueOf(failure instanceof FileSystemException e ? e.getReason() : failure.getMessage());
        boolean full = reason.contains("No space left")
                || reason.contains("quota exceeded")
                || reason.contains("File too large");
        return full ? (NoRoomException) new NoRoomException(failure.getMessage()).initCause(failure) : failure;
    }
}
