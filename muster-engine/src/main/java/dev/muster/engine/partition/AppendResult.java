package dev.muster.engine.partition;

/**
 * The place of a batch in its log.
 *
 * @param timestamp the largest timestamp of its records
 */
public record AppendResult(long baseOffset, long endOffset, long timestamp) {}
