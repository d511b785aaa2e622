package dev.muster.embedded;

/** What a reader does at damaged bytes of the log. It never changes anything on disk. */
public enum OnDamage {
    /** Every {@code poll} throws {@link dev.muster.store.DamagedLogException}; the position does not change. */
    STOP,
    /** The listener is called, and reading continues behind the damage. */
    SKIP
}
