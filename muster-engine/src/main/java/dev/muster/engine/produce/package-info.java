/**
 * Behind a producer: records gather in batches, batches go to partition logs, futures learn the outcome.
 *
 * <p>Start at {@link dev.muster.engine.produce.RecordSender}. The one rule: the thread that holds the sending turn, and
 * no other, calls into a log; the lock of the buffer is never held meanwhile.
 */
package dev.muster.engine.produce;
