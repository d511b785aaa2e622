package dev.muster.core.group.model;

/**
 * The place at which a group continues in a partition.
 *
 * @param offset offset of the next record to process
 * @param leaderEpoch leader epoch of the record before it, or −1 if unknown; shows after a power cut whether that
 *     record still exists
 * @param metadata text of the committer, up to 4096 characters
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
