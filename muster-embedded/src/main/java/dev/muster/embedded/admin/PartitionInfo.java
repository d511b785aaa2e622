package dev.muster.embedded.admin;

/**
 * What is known of a partition at one moment.
 *
 * @param startOffset the first offset that can be read
 * @param endOffset the offset behind the last visible record
 * @param sizeBytes bytes on disk
 */
public record PartitionInfo(int partition, long startOffset, long endOffset, long sizeBytes) {
    /** How many records can be read. */
    public long records() {
        return endOffset - startOffset;
    }
}
