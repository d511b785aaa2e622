package dev.muster.cli.check;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.ProgressLine;
import dev.muster.cli.command.ReadPermission;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.ByteSizes;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.Table;
import dev.muster.cli.text.Table.Column;
import dev.muster.cli.text.Table.Shown;
import dev.muster.core.Counts;
import dev.muster.core.json.Json;
import dev.muster.store.file.RetentionClock;
import dev.muster.store.file.check.CheckReport;
import dev.muster.store.file.check.DirectoryCheck;
import dev.muster.store.file.finding.Finding;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster check}. */
@Command(
        name = "check",
        description = {
            "Verify every file of a data directory. Exit code 1 if a file is damaged.",
            "Changes nothing without --repair; the column REPAIR shows the repair of a finding."
        },
        footer = {
            "",
            "Examples:",
            "  muster check ./muster-data",
            "  muster check ./muster-data --repair --dry-run",
            "  muster check --data /var/lib/muster --repair -o json"
        })
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
public final class CheckCommand implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(arity = "0..1", paramLabel = "DIR", description = "The directory (default: as --data says).")
    private Path directory;

    @Option(
            names = "--repair",
            description = "Rebuild the files that can be made from copies and from records; records are never changed.")
    private boolean repair;

    @Option(names = "--dry-run", description = "With --repair: only show what it would do.")
    private boolean dryRun;

    public CheckCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        if (repair && !dryRun) {
            root.requireWriting("muster check --repair");
        }
        if (dryRun && !repair) {
            throw CommandException.usage("--dry-run goes with --repair", "muster check --repair --dry-run");
        }
        Path checked = directory != null ? directory : root.data();
        ReadPermission.check(checked);
        if (!Files.isDirectory(checked)) {
            throw new CommandException(ExitCode.NOT_FOUND, "there is no directory " + checked, "muster check DIR");
        }
        ProgressLine progress = new ProgressLine(root.session(), "bytes", !root.quiet());
        CheckReport report = DirectoryCheck.run(checked, repair && !dryRun, now -> progress.at(now.bytes()));
        progress.clear();
        print(checked, report);
        RetentionClock.problem(checked).ifPresent(clocks -> root.note("muster: " + clocks));
        return (report.clean() ? ExitCode.DONE : ExitCode.FAILED).code();
    }

    private void print(Path checked, CheckReport report) {
        Table table = table(report);
        OutputFormat format = root.output();
        if (format == OutputFormat.JSON) {
            root.session().print(Json.write(object(checked, report, table)) + "\n");
        } else if (root.outputGiven() || !table.isEmpty()) {
            root.session().print(table.render(format, root.colorful()));
        }
        root.note(checked + ": " + Counts.of(report.topics(), "topic") + ", "
                + Counts.of(report.partitions(), "partition") + ", " + Counts.of(report.records(), "record") + ", "
                + ByteSizes.show(report.bytes()) + ": "
                + (report.findings().isEmpty()
                        ? "all is well"
                        : Counts.of(report.findings().size(), "finding") + repairs(report)));
    }

    private String repairs(CheckReport report) {
        long left = report.findings().stream()
                .filter(finding -> finding.severity() != Finding.Severity.REPAIRED
                        && !finding.repair().isEmpty())
                .count();
        long done = report.findings().stream()
                .filter(finding -> finding.severity() == Finding.Severity.REPAIRED)
                .count();
        String repaired = done == 0 ? "" : ", " + done + " repaired";
        return left == 0 ? repaired : repaired + ", see REPAIR for " + left;
    }

    private static Table table(CheckReport report) {
        Table table = new Table(
                Column.of("FILE", "file"),
                Column.of("SEVERITY", "severity"),
                Column.of("PARTITION", "partition"),
                Column.of("OFFSET", "offset"),
                Column.of("BYTE", "position"),
                Column.of("PROBLEM", "problem"),
                Column.of("REPAIR", "repair"));
        for (Finding finding : report.findings()) {
            table.row(
                    finding.file().toString(),
                    finding.severity().name().toLowerCase(Locale.ROOT),
                    new Shown(
                            finding.topicPartition(),
                            finding.topicPartition().isEmpty() ? "-" : finding.topicPartition()),
                    number(finding.offset()),
                    number(finding.position()),
                    finding.problem(),
                    new Shown(finding.repair(), finding.repair().isEmpty() ? "-" : finding.repair()));
        }
        return table;
    }

    /** Text shows a dash for a missing number, JSON shows -1. */
    private static Shown number(long value) {
        return new Shown(value, value < 0 ? "-" : Long.toString(value));
    }

    private static Map<String, Object> object(Path checked, CheckReport report, Table table) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("directory", checked.toString());
        object.put("topics", report.topics());
        object.put("partitions", report.partitions());
        object.put("records", report.records());
        object.put("batches", report.batches());
        object.put("bytes", report.bytes());
        object.put("findings", table.objects());
        return object;
    }
}
