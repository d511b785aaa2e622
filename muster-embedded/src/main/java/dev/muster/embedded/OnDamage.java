package dev.muster.embedded;

/** What a reader does at bytes of the log that cannot be trusted. Nothing is changed on disk either way. */
public enum OnDamage {
    /** {@code poll} throws {@link dev.muster.store.DamagedLogException}, again and again; the position stays. */
    STOP,
    /** The listener is told, and reading goes on behind the damage. */
    SKIP
}
