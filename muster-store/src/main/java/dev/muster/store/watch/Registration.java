package dev.muster.store.watch;

/** A listener that a store calls back until the registration is closed. */
public interface Registration extends AutoCloseable {
    /** Ends the callbacks; one that runs at this moment may still end after this returned. */
    @Override
    void close();
}
