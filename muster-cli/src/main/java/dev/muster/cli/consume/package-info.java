/**
 * {@code muster consume}: writes the records of topics to stdout.
 *
 * <p>Start at {@link dev.muster.cli.consume.ConsumeRun}. A thread writes out all its records before it waits for
 * further ones.
 */
package dev.muster.cli.consume;
