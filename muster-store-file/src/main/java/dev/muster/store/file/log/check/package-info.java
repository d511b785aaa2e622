/**
 * The check of one partition: every byte of its segments, indexes, checkpoint and control page.
 *
 * <p>Start at {@link dev.muster.store.file.log.check.PartitionCheck}. The one rule: a check changes nothing unless it
 * is told to repair.
 */
package dev.muster.store.file.log.check;
