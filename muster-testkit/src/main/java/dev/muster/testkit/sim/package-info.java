/**
 * A machine that is simulated from one seed: its clock, its schedule, its disk, and what goes wrong with them. Real
 * code runs on it unchanged, as several processes with threads of their own.
 *
 * <p>Start at {@link dev.muster.testkit.sim.Simulation}. The one rule: nothing in here may depend on anything but the
 * seed, so the same seed does the same thing again.
 */
package dev.muster.testkit.sim;
