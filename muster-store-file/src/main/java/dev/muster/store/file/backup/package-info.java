/**
 * Backups of a directory that other processes use, made without stopping them, and their restore.
 *
 * <p>Start at {@link dev.muster.store.file.backup.DirectoryBackup}; the files are described in
 * {@code docs/format/backup.md}. The one rule: a folder with the name of a backup is complete, verified and durable.
 * Every other folder has another name.
 */
package dev.muster.store.file.backup;
