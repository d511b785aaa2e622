/**
 * Reading a partition log: a cursor, and the batches that it returns.
 *
 * <p>Start at {@link dev.muster.store.read.LogReader}. The one rule: a batch is returned whole, as it was appended.
 */
package dev.muster.store.read;
