/**
 * The turns of the cases that compare queues: each runs one contestant in a JVM of its own. Start at
 * {@link dev.muster.bench.turn.TurnProcess}, which starts that JVM, and {@link dev.muster.bench.turn.Turn}, which it
 * runs.
 */
package dev.muster.bench.turn;
