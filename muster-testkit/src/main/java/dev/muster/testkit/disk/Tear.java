package dev.muster.testkit.disk;

/** How finely a power cut may split what was on its way to the platter. */
public enum Tear {
    /** Pages are written whole, only the last one of a file ends at a sector. */
    SECTORS,
    /** Any sector of any page may be missing, and a file may end at any byte. */
    BYTES
}
