/**
 * What is measured. A {@link dev.muster.bench.cases.Case} runs in the parent: it starts turns and compares what they
 * say. The classes named {@code …Turn} run in the children and hold the loops that are timed.
 */
package dev.muster.bench.cases;
