/**
 * Copies of a directory that other processes use: taken without stopping them, and put back.
 *
 * <p>Start at {@link dev.muster.store.file.backup.DirectoryBackup}; the files are described in
 * {@code docs/format/backup.md}. The one rule: what is called a backup is complete, verified and durable; everything
 * else has another name.
 */
package dev.muster.store.file.backup;
