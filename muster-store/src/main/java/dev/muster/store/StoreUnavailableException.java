package dev.muster.store;

import dev.muster.core.MusterException;

/** The store cannot be reached at this moment. The call had no effect. Stores in files and in memory never throw it. */
public final class StoreUnavailableException extends MusterException {
    public StoreUnavailableException(String what, Throwable cause) {
        super("cannot " + what + ": the store cannot be reached", "the call can be repeated once it can", cause);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
