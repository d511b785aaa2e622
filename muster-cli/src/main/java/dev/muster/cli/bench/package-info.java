/**
 * {@code muster bench}: how fast is Muster here, on this disk, with records like mine? Start at
 * {@link dev.muster.cli.bench.BenchCommand}. Everything goes through the public API; what is written is taken away
 * again. For Muster beside other queues see the module muster-bench.
 */
package dev.muster.cli.bench;
