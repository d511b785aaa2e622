package dev.muster.embedded.admin;

/**
 * The size of a partition at one moment.
 *
 * @param startOffset first offset that can be read
 * @param endOffset offset behind the last visible record
 * @param sizeBytes size on disk in bytes
 */
public record PartitionInfo(int partition, long startOffset, long endOffset, long sizeBytes) {
    /** The number of records that can be read. */
    public long records() {
        return endOffset - startOffset;
    }
}
