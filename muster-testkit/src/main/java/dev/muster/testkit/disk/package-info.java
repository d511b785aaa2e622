/**
 * Disks for tests: one that loses power, one that fails on purpose, one that writes down what it was asked.
 *
 * <p>Start at {@link dev.muster.testkit.disk.MemoryDisk}; {@link dev.muster.testkit.disk.FaultyDisk} and
 * {@link dev.muster.testkit.disk.RecordingDisk} wrap any disk. The one rule: these disks may be worse than any real
 * one, never better. What a real disk may lose, they lose in some seed.
 */
package dev.muster.testkit.disk;
