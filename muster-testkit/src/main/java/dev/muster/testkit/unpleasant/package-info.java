/**
 * A store that keeps its contract and nothing more: reads of memory are stale, connections break, outcomes stay
 * unknown, the right to append is taken away, and lines are short. The engine must work on it, as on a database or a
 * cluster.
 *
 * <p>Start at {@link dev.muster.testkit.unpleasant.UnpleasantStore}. The one rule: every call does what the contract
 * allows, and as little as it allows.
 */
package dev.muster.testkit.unpleasant;
