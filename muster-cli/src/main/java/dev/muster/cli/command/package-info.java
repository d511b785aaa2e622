/**
 * The types that all commands share: the global options ({@link dev.muster.cli.command.RootCommand}), the streams and
 * the environment of one run ({@link dev.muster.cli.command.Session}), errors and exit codes, prompts and progress.
 */
package dev.muster.cli.command;
