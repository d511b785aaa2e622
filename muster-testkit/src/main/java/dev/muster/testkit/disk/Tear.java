package dev.muster.testkit.disk;

/** The granularity at which a power cut may split a write. */
public enum Tear {
    /** Pages are written as a whole; only the last page of a file may end at any sector. */
    SECTORS,
    /** Any sector of any page may be missing, and a file may end at any byte. */
    BYTES
}
