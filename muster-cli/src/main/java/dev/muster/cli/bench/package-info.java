/**
 * {@code muster bench}: measures Muster on this machine and disk, with records of a given size. Start at
 * {@link dev.muster.cli.bench.BenchCommand}. Everything goes through the public API, and all that is written is deleted
 * again. The module muster-bench compares Muster with other queues.
 */
package dev.muster.cli.bench;
