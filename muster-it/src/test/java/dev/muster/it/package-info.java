/**
 * Muster with real processes, real signals and real disks.
 *
 * <p>Start at {@link dev.muster.it.Child}, a JVM that a test may kill or stop, and for groups at
 * {@link dev.muster.it.MemberProcess}, a member that prints its events. Rounds and seeds are printed;
 * {@code -Dmuster.rounds=N} and {@code -Dmuster.seed=N} repeat or lengthen a run. A test ends only processes that it
 * started.
 */
package dev.muster.it;
