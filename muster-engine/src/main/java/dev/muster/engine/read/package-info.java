/**
 * Reading: many partitions as one stream of records.
 *
 * <p>Start at {@link dev.muster.engine.read.PartitionsReader}. A position moves only past records that were handed out,
 * so the next call throws a failure again.
 */
package dev.muster.engine.read;
