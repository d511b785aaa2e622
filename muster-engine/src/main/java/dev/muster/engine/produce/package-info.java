/**
 * Sending of records: the records gather in batches, a thread writes the batches to partition logs, and the futures get
 * the outcome.
 *
 * <p>Start at {@link dev.muster.engine.produce.RecordSender}. Only the writing thread of the buffer calls into a log,
 * and it does not hold the lock of the buffer meanwhile.
 */
package dev.muster.engine.produce;
