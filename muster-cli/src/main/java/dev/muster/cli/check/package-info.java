/**
 * {@code muster check}: verifies a data directory.
 *
 * <p>Start at {@link dev.muster.cli.check.CheckCommand}. Without {@code --repair} nothing is changed.
 */
package dev.muster.cli.check;
