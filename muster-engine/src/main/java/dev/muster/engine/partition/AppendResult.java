package dev.muster.engine.partition;

/**
 * Where a batch stands in its log.
 *
 * @param timestamp its newest record's
 */
public record AppendResult(long baseOffset, long endOffset, long timestamp) {}
