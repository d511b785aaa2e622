package dev.muster.store.file.log;

import dev.muster.disk.NoRoomException;
import dev.muster.store.DiskFullException;
import dev.muster.store.PermissionDeniedException;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.StoreIoException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Turns failures of the disk into the errors of the contract. */
public final class DiskErrors {
    private DiskErrors() {}

    /** The exception that the store's contract promises for this I/O error. */
    public static RuntimeException of(String what, IOException e) {
        return switch (e) {
            case NoRoomException full -> new DiskFullException(full.getMessage(), full);
            case AccessDeniedException denied -> {
                String file = String.valueOf(denied.getFile());
                yield denied.getReason() == null
                        ? new PermissionDeniedException(what, file, denied)
                        : new ReadOnlyException(what.endsWith(file) ? what : what + " (" + file + ")");
            }
            case NoSuchFileException gone ->
                new StoreIoException("cannot " + what + ": " + gone.getFile() + " is gone", e);
            default -> new StoreIoException("cannot " + what + ": " + e.getMessage(), e);
        };
    }
}
