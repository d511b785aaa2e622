/**
 * Reports of the results: tables for people, JSON lines for programs. Start at {@link dev.muster.bench.report.Report}.
 */
package dev.muster.bench.report;
