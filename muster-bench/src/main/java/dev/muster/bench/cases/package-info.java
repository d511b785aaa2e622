/**
 * The comparisons. A {@link dev.muster.bench.cases.Case} starts its turns, and compares their figures. The timed loops
 * are in {@code dev.muster.bench.turn} for queues, and in {@code dev.muster.bench.broker} for servers.
 */
package dev.muster.bench.cases;
