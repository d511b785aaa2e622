/**
 * Disks for tests: one that loses power, one that fails on purpose, and one that records its calls.
 *
 * <p>Start at {@link dev.muster.testkit.disk.MemoryDisk}. {@link dev.muster.testkit.disk.FaultyDisk} and
 * {@link dev.muster.testkit.disk.RecordingDisk} wrap any disk. These disks may be worse than any real disk, never
 * better: everything that a real disk may lose, they lose for some seed.
 */
package dev.muster.testkit.disk;
