/**
 * Behind a reader: many partitions as one stream of records.
 *
 * <p>Start at {@link dev.muster.engine.read.PartitionsReader}. The one rule: a position moves only past what was handed
 * out, so that whatever is thrown is thrown again by the next call.
 */
package dev.muster.engine.read;
