/**
 * One partition's log: segments of record batches that many processes append to and read at once.
 *
 * <p>Start at {@link dev.muster.store.file.log.FilePartition}. The bytes are described in {@code docs/format/log.md}.
 * The rules that everything here keeps:
 *
 * <ul>
 *   <li>A segment is only ever appended to: nothing is overwritten, nothing is cut.
 *   <li>The lock on a segment makes writers polite. What makes them right is the place of their bytes: what stands
 *       before the first seal counts, what lands behind it does not exist, and a writer believes in its batch only
 *       after it saw where it landed.
 *   <li>Offsets are visible below the end that the control page tells. Whatever is invalid below that end is damage and
 *       gets an error; whatever is invalid above it is a write that never happened.
 * </ul>
 */
package dev.muster.store.file.log;
