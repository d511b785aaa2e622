package dev.muster.store;

import dev.muster.store.batch.EncodedBatch;

/** One batch of a {@link LogStore#append} call, with the appender of its partition. */
public record AppendRequest(PartitionAppender appender, EncodedBatch batch) {}
