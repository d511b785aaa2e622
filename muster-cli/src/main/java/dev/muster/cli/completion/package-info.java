/**
 * Completion scripts for shells, and the man page, all made from the command model.
 *
 * <p>Start at {@link dev.muster.cli.completion.CommandModel}. The shell lists the names of topics, groups and members
 * from the directory itself, because a Java process for each key would be slow.
 */
package dev.muster.cli.completion;
