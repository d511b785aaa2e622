/**
 * {@code muster consume}: records of topics to stdout.
 *
 * <p>Start at {@link dev.muster.cli.consume.ConsumeRun}. The one rule: who goes to wait for records has written
 * everything it had.
 */
package dev.muster.cli.consume;
