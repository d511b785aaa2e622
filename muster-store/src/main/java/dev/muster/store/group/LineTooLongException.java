package dev.muster.store.group;

import dev.muster.core.MusterException;

/** A line is longer than the store takes for a journal line. Nothing was written. */
public final class LineTooLongException extends MusterException {
    public LineTooLongException(String group, long bytes, int bytesMax) {
        super(
                "a change of group \"" + group + "\" takes a line of " + bytes + " bytes, the store takes " + bytesMax,
                "commit fewer partitions in one call, or use fewer partitions in the topics of the group");
    }
}
