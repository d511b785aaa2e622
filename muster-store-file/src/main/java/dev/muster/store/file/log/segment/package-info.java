/**
 * One segment of a log: its name, its batches and marks, its index, and the scan of its bytes.
 *
 * <p>Start at {@link dev.muster.store.file.log.segment.SegmentScan}. The one rule: entries before the first seal count.
 * This package knows nothing of the other segments of a partition.
 */
package dev.muster.store.file.log.segment;
