package dev.muster.embedded;

import dev.muster.embedded.internal.OpenMuster;
import dev.muster.store.LogStore;

/** Opens a queue over a store that a test created, for instance one with a special disk. */
public final class MusterOverStore {
    private MusterOverStore() {}

    /** The queue closes the store with itself. */
    public static Muster open(LogStore store) {
        return OpenMuster.over(store);
    }
}
