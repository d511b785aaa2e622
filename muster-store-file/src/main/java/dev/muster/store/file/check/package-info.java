/**
 * Looks at every byte of a directory and says what is wrong.
 *
 * <p>Start at {@link dev.muster.store.file.check.DirectoryCheck}. The one rule: a check changes nothing, and a repair
 * only what can be made anew from records, copies and names.
 */
package dev.muster.store.file.check;
