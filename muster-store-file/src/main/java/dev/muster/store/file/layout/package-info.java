/**
 * The directory: which file lies where, its format, and the small files that carry a checksum.
 *
 * <p>Start at {@link dev.muster.store.file.layout.Layout}; {@code docs/format/directory.md} describes each file. The
 * one rule: this package knows no other of the store, so that each of them can use it.
 */
package dev.muster.store.file.layout;
