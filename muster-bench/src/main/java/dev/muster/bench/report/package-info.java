/**
 * How results are shown: tables for people, JSON lines for programs. Start at {@link dev.muster.bench.report.Report}.
 */
package dev.muster.bench.report;
