/**
 * Copies of one partition: into a backup while the partition is in use, and back.
 *
 * <p>Start at {@link dev.muster.store.file.log.copy.PartitionCopy}. The one rule: the partition that is copied is not
 * changed, and its writers do not wait.
 */
package dev.muster.store.file.log.copy;
