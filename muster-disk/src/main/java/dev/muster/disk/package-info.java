/**
 * One machine as a store uses it: files, pages that processes share, locks, bells, a monotonic clock, threads, and ids.
 *
 * <p>Start at {@link dev.muster.disk.Disk}; {@link dev.muster.disk.Machine} has what is not a file. The test kit
 * implements both with a disk that loses power and a clock that a seed drives. The one rule: this package knows nothing
 * of stores, and a store touches no file but through it.
 */
package dev.muster.disk;
