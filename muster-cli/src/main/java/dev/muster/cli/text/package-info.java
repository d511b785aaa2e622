/**
 * The spelling of durations, moments, sizes, rates and places in a log, and the formats of records and tables.
 *
 * <p>Start at {@link dev.muster.cli.text.Place}. This package opens no store and knows no command.
 */
package dev.muster.cli.text;
