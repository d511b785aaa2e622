/**
 * The directory: the paths of its files, its format, and the small files with a checksum.
 *
 * <p>Start at {@link dev.muster.store.file.layout.Layout}; {@code docs/format/directory.md} describes each file. The
 * one rule: this package uses no other package of the store, so that each of them can use it.
 */
package dev.muster.store.file.layout;
