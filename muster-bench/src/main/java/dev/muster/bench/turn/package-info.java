/**
 * The turns of the cases that compare queues. Each runs one contestant in a JVM of its own. Start at
 * {@link dev.muster.bench.turn.TurnProcess}, which starts that JVM, and {@link dev.muster.bench.turn.Turn}, which runs
 * in it.
 */
package dev.muster.bench.turn;
