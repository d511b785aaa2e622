/**
 * Record batches in Kafka's format v2: the bytes on disk and on the wire.
 *
 * <p>Start at {@link dev.muster.store.batch.BatchHeader}, which draws the bytes. The one rule: this is the only package
 * outside the Kafka door that may use {@code kafka-clients}, and none of its types shows in a signature.
 */
package dev.muster.store.batch;
