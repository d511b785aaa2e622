/**
 * The {@code muster} command.
 *
 * <p>Start at {@link dev.muster.cli.Main}, then {@link dev.muster.cli.CommandTree}. The one rule: data goes to stdout,
 * everything else to stderr, and a command touches the outside world only through its {@link dev.muster.cli.Session},
 * so that a test can be the outside world.
 */
package dev.muster.cli;
