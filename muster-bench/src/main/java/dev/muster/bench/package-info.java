/**
 * Compares Muster with its peers, in one run on one machine: ratios, targets, and whether they are met.
 *
 * <p>Start at {@link dev.muster.bench.Bench}. Contestants take turns within each repetition, so that a busy machine
 * slows all of them equally. Each turn is a {@link dev.muster.bench.turn.Turn} in a JVM of its own, so that code
 * compiled for one contestant does not slow another. A turn that lost, doubled, reordered or changed a record has no
 * rate.
 */
package dev.muster.bench;
