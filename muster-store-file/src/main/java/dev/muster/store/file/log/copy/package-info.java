/**
 * Copies of one partition: into a backup while the partition is in use, and back.
 *
 * <p>Start at {@link dev.muster.store.file.log.copy.PartitionCopy}. The one rule: a copy does not change its source,
 * and writers do not wait for it.
 */
package dev.muster.store.file.log.copy;
