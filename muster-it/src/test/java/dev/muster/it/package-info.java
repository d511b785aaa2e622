/**
 * Muster with real processes, real signals and real disks.
 *
 * <p>Start at {@link dev.muster.it.Child}, a JVM of our own that a test may kill or stop, and for groups at
 * {@link dev.muster.it.MemberProcess}, a member of one that says what happens to it. Rounds and seeds are printed;
 * {@code -Dmuster.rounds=N} and {@code -Dmuster.seed=N} repeat or lengthen a run. The one rule: a test ends only
 * processes that it started.
 */
package dev.muster.it;
