/**
 * The check of every byte of a directory.
 *
 * <p>Start at {@link dev.muster.store.file.check.DirectoryCheck}. The one rule: a check changes nothing. A repair
 * changes only files that can be created again from records, copies and names.
 */
package dev.muster.store.file.check;
