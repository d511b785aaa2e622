package dev.muster.store;

import dev.muster.core.MusterException;

/** The operating system denies this user a file or a folder of the store. */
public final class PermissionDeniedException extends MusterException {
    /**
     * @param what the operation that failed: "open topic orders"
     * @param file the file or folder that the user may not read or write
     */
    public PermissionDeniedException(String what, String file, Throwable cause) {
        super(
                "cannot " + what + ": permission denied" + (what.endsWith(file) ? "" : ": " + file),
                "run as the owner of " + file + ", or give this user the right to it",
                cause);
    }
}
