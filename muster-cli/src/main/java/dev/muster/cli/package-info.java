/**
 * The {@code muster} command.
 *
 * <p>Start at {@link dev.muster.cli.Main}, then {@link dev.muster.cli.CommandTree}. Each package below holds the
 * commands of one topic; {@code cli.command} holds the types that all of them share. Data goes to stdout, everything
 * else to stderr. A command touches the outside world only through its {@link dev.muster.cli.command.Session}, so that
 * a test can replace it.
 */
package dev.muster.cli;
