package dev.muster.store;

import dev.muster.core.MusterException;

/** There is no store at this place. No store was created. */
public final class StoreNotFoundException extends MusterException {
    public StoreNotFoundException(String where) {
        super("there is no Muster data directory at " + where, "check the path; producing a record creates a new one");
    }
}
