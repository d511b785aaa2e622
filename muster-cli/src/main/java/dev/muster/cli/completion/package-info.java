/**
 * What other programs know of the commands: completion scripts for shells, and the man page. All are made from the
 * command model.
 *
 * <p>Start at {@link dev.muster.cli.completion.CommandModel}. The one rule: names of topics, groups and members are
 * listed by the shell from the directory itself, because a Java process for each press of a key is slow.
 */
package dev.muster.cli.completion;
