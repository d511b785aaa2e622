/**
 * A store in a directory of a local file system, shared by many processes without a server.
 *
 * <p>Start at {@link dev.muster.store.file.FileStore}; the layout of the directory is in
 * {@code docs/format/directory.md}. The one rule: correctness never depends on a lock; see
 * {@code dev.muster.store.file.log}.
 */
package dev.muster.store.file;
