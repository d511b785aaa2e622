/**
 * How people write durations, moments, sizes, rates and places in a log, and how a command writes records and tables.
 *
 * <p>Start at {@link dev.muster.cli.text.Place}. The one rule: nothing here opens a store or knows a command.
 */
package dev.muster.cli.text;
