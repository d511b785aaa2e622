package dev.muster.disk;

import java.io.IOException;
import java.nio.file.FileSystemException;

/** The disk, or the user's share of it, is full (ENOSPC, EDQUOT, EFBIG). */
public final class NoRoomException extends IOException {
    public NoRoomException(String message) {
        super(message);
    }

    /** A failure of the JDK, which has no type of its own for a full disk: only its text tells. */
    public static IOException orSame(IOException failure) {
        // Without the path, which may say anything.
        String reason = String.valueOf(failure instanceof FileSystemException e ? e.getReason() : failure.getMessage());
        boolean full = reason.contains("No space left")
                || reason.contains("quota exceeded")
                || reason.contains("File too large");
        return full ? (NoRoomException) new NoRoomException(failure.getMessage()).initCause(failure) : failure;
    }
}
