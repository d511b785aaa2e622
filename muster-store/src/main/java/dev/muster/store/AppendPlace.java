package dev.muster.store;

/**
 * The place of a batch in its log.
 *
 * @param baseOffset the offset of the first record
 * @param endOffset the offset behind the batch. It is {@code baseOffset} plus the last offset delta of the batch plus
 *     one, so it is more than {@code baseOffset} plus the number of records if offsets in the batch are unused
 */
public record AppendPlace(long baseOffset, long endOffset) {}
