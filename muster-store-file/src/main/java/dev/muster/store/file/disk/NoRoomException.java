package dev.muster.store.file.disk;

import java.io.IOException;

/** The disk, or the user's share of it, is full (ENOSPC, EDQUOT, EFBIG). */
public final class NoRoomException extends IOException {
    public NoRoomException(String message) {
        super(message);
    }
}
