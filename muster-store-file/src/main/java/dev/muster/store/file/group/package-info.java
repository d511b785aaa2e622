/**
 * Consumer groups in a directory.
 *
 * <p>Start at {@link dev.muster.store.file.group.FileGroups}. The one rule: the journal is the truth, and it is a
 * partition log in which a line has the place it was meant for or none. All other files of a group are for people.
 */
package dev.muster.store.file.group;
