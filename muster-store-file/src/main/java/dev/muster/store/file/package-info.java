/**
 * A store in a directory of a local file system, shared by many processes without a server.
 *
 * <p>Start at {@link dev.muster.store.file.FileStore}; the layout of the directory is in
 * {@code docs/format/directory.md}. The one rule: nothing is right because a lock was held; see
 * {@link dev.muster.store.file.log}.
 */
package dev.muster.store.file;
