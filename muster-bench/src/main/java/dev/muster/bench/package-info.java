/**
 * Muster beside its peers in one run on one machine: ratios, targets, and whether they are met.
 *
 * <p>Start at {@link dev.muster.bench.Bench}. Contestants take turns within each repetition, so that a busy machine
 * slows all of them alike, and each turn is a {@link dev.muster.bench.turn.Turn} in a JVM of its own, so that none is
 * slowed by code compiled for another. The one rule: a turn that lost, doubled, reordered or changed a record has no
 * rate.
 */
package dev.muster.bench;
