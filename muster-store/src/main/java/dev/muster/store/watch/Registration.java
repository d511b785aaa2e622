package dev.muster.store.watch;

/** A listener that a store calls back until the registration is closed. */
public interface Registration extends AutoCloseable {
    /** Ends the callbacks. A callback that is running may still end after this returned. */
    @Override
    void close();
}
