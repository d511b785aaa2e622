package dev.muster.bench;

import dev.muster.bench.cases.Case;
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
 * The comparison from the command line. Exit codes: 0 done, 1 a case failed or (strict) a target was missed, 2 usage.
 */
public final class Bench {
    private Bench() {}

    public static void main(String[] args) throws IOException {
        if (args.length == 1 && (args[0].equals("--help") || args[0].equals("-h"))) {
            IO.print(Options.USAGE);
            return;
        }
        Options options;
        try {
            options = Options.parse(args);
        } catch (IllegalArgumentException e) {
            System.err.println("bench: " + e.getMessage());
            System.err.print(Options.USAGE);
            System.exit(2);
            return;
        }
        // Signs like ≥ must come out whatever the locale says.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        Report report = options.jsonLines() ? new JsonLinesReport(out) : new TableReport(out);
        boolean good = run(options, report);
        System.exit(good ? 0 : 1);
    }

    private static boolean run(Options options, Report report) throws IOException {
        report.begin(Machine.of(Files.createDirectories(options.directory())), options);
        boolean good = true;
        for (Case each : options.cases()) {
            try {
                for (Outcome outcome : each.run(options)) {
                    report.figures(outcome.figures());
                    outcome.targets().forEach(report::target);
                    good &= outcome.met() || !options.strict();
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
