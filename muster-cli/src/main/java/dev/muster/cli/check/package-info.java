/**
 * {@code muster check}: is everything in a data directory what was written?
 *
 * <p>Start at {@link dev.muster.cli.check.CheckCommand}. The one rule: without {@code --repair} nothing is changed.
 */
package dev.muster.cli.check;
