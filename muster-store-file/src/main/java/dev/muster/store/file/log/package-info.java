/**
 * One partition's log: segments of record batches that many processes append to and read at once.
 *
 * <p>Start at {@link dev.muster.store.file.log.FilePartition}. The bytes are described in {@code docs/format/log.md}.
 * The rules of this package:
 *
 * <ul>
 *   <li>A segment is only ever appended to: nothing is overwritten, nothing is cut.
 *   <li>The lock on a segment only keeps writers from disturbing each other. Correctness comes from the place of the
 *       bytes: an entry before the first seal counts, and an entry behind it does not exist. So a writer relies on its
 *       batch only after it checked where the batch is.
 *   <li>Offsets below the end on the control page are visible. Invalid bytes below that end are damage, and reading
 *       them is an error. Invalid bytes above it are a write that never happened.
 * </ul>
 */
package dev.muster.store.file.log;
