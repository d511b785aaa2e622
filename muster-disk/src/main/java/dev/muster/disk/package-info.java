/**
 * The parts of a machine that a store uses: files, pages that processes share, locks, bells, a monotonic clock,
 * threads, and ids.
 *
 * <p>Start at {@link dev.muster.disk.Disk}; {@link dev.muster.disk.Machine} has the parts that are not files. The test
 * kit implements both with a disk that loses power and a clock that a seed drives. The one rule: this package knows
 * nothing of stores, and a store uses files only through this package.
 */
package dev.muster.disk;
