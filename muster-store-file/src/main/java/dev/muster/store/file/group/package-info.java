/**
 * Consumer groups in a directory.
 *
 * <p>Start at {@link dev.muster.store.file.group.FileGroups}. The one rule: the state of a group follows from its
 * journal alone. The journal is a partition log in which a line has the version that it was appended with, or is not
 * there. All other files of a group are for people.
 */
package dev.muster.store.file.group;
