package dev.muster.bench;

import dev.muster.bench.cases.Case;
import dev.muster.bench.measure.MachineInfo;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Outcome;
import dev.muster.bench.report.JsonLinesReport;
import dev.muster.bench.report.Report;
import dev.muster.bench.report.TableReport;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/**
 * Runs the comparison from the command line. Exit codes: 0 done, 1 a case failed or (strict) a target was missed, 2
 * usage.
 */
public final class Bench {
    private Bench() {}

    public static void main(String[] args) throws IOException {
        if (args.length == 1 && (args[0].equals("--help") || args[0].equals("-h"))) {
            IO.print(BenchArguments.USAGE);
            return;
        }
        BenchArguments arguments;
        try {
            arguments = BenchArguments.parse(args);
        } catch (IllegalArgumentException e) {
            System.err.println("bench: " + e.getMessage());
            System.err.print(BenchArguments.USAGE);
            System.exit(2);
            return;
        }
        // Output in UTF-8 under any locale, for signs like ≥.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        Report report = arguments.jsonLines() ? new JsonLinesReport(out) : new TableReport(out);
        boolean good = run(arguments, report);
        System.exit(good ? 0 : 1);
    }

    private static boolean run(BenchArguments arguments, Report report) throws IOException {
        Options options = arguments.options();
        report.begin(MachineInfo.of(Files.createDirectories(options.directory())), options);
        boolean good = true;
        for (Case each : arguments.cases()) {
            try {
                for (Outcome outcome : each.run(options)) {
                    report.figures(outcome.figures());
                    outcome.targets().forEach(report::target);
                    good &= outcome.met() || !arguments.strict();
                }
            } catch (Exception e) {
                report.failure(each.name(), e);
                good = false;
            }
        }
        report.end();
        return good;
    }
}
