/**
 * Record batches in Kafka's format v2: the bytes on disk and on the wire.
 *
 * <p>Start at {@link dev.muster.store.batch.BatchHeader}, which draws the bytes. {@code BatchBuilder} encodes records,
 * {@code BatchDecoder} decodes them, and {@code dev.muster.store.compression} compresses the bodies.
 */
package dev.muster.store.batch;
