/**
 * {@code muster consume}: writes the records of topics to stdout.
 *
 * <p>Start at {@link dev.muster.cli.consume.ConsumeRun}. Before a thread waits for records, it has written all that it
 * has.
 */
package dev.muster.cli.consume;
