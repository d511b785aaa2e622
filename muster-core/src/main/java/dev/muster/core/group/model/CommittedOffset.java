package dev.muster.core.group.model;

/**
 * Where a group goes on in a partition.
 *
 * @param offset of the next record to process
 * @param leaderEpoch of the record before it, −1 unknown: tells after a power cut whether that record still exists
 * @param metadata the committer's own words, up to 4096 characters
 */
public record CommittedOffset(long offset, int leaderEpoch, String metadata) {
    public static final int METADATA_MAX = 4096;

    public CommittedOffset {
        if (offset < 0) {
            throw new IllegalArgumentException("an offset is not negative: " + offset);
        }
        if (metadata.length() > METADATA_MAX) {
            throw new IllegalArgumentException(
                    "metadata has " + metadata.length() + " characters, at most " + METADATA_MAX + " are allowed");
        }
    }

    public CommittedOffset(long offset) {
        this(offset, -1, "");
    }
}
