package dev.muster.kafka.log;

/**
 * Where a batch stands in its log.
 *
 * @param timestamp its newest record's
 */
public record Placed(long baseOffset, long endOffset, long timestamp) {}
