/**
 * A machine that is simulated from one seed: its clock, its schedule, its disk, and their faults. Real code runs on it
 * unchanged, as several processes with their own threads.
 *
 * <p>Start at {@link dev.muster.testkit.sim.Simulation}. Nothing in this package may depend on anything but the seed,
 * so that the same seed repeats a run.
 */
package dev.muster.testkit.sim;
