package dev.muster.store;

import dev.muster.core.MusterException;

/**
 * A file operation failed for a reason that has no exception type of its own. The message names the operation and the
 * file.
 */
public final class StoreIoException extends MusterException {
    public StoreIoException(String what, Throwable cause) {
        super(what, null, cause);
    }
}
