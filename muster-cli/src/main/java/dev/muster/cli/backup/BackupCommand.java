package dev.muster.cli.backup;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.ProgressLine;
import dev.muster.cli.command.ReadPermission;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.ByteSizes;
import dev.muster.cli.text.OutputFormat;
import dev.muster.core.json.Json;
import dev.muster.store.file.backup.BackupReport;
import dev.muster.store.file.backup.DirectoryBackup;
import dev.muster.store.file.backup.Manifest;
import dev.muster.store.file.finding.Finding;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster backup}. */
@Command(
        name = "backup",
        description = {
            "Copy a data directory while programs use it. Exit code 1 if part of it is damaged.",
            "Each backup is a data directory of its own, TO/backup-NUMBER. Segments that never change are shared with"
                    + " the backup before."
        },
        footer = {
            "",
            "Examples:",
            "  muster backup /mnt/backups",
            "  muster backup ./muster-data /mnt/backups --keep 7",
            "  muster restore /mnt/backups ./restored"
        })
@Formats({OutputFormat.TABLE, OutputFormat.JSON, OutputFormat.JSONL})
public final class BackupCommand implements Callable<Integer> {
    private static final int KEEP = 3;

    private final RootCommand root;

    @Parameters(
            arity = "1..2",
            paramLabel = "[DIR] TO",
            description = "The directory (default: as --data says), and where its backups are kept.")
    private List<Path> directories;

    @Option(
            names = "--keep",
            paramLabel = "N",
            description = "How many backups to keep, this one included (default: " + KEEP + ").")
    private int keep = KEEP;

    public BackupCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        Path source = directories.size() == 2 ? directories.getFirst() : root.data();
        Path to = directories.getLast();
        if (keep < 1) {
            throw CommandException.usage("--keep: at least one backup is kept, not " + keep, "--keep 1");
        }
        ReadPermission.check(source);
        if (!Files.isDirectory(source)) {
            throw new CommandException(ExitCode.NOT_FOUND, "there is no directory " + source, "muster backup DIR TO");
        }
        Opener.checkNotLost(source);
        ProgressLine progress = new ProgressLine(root.session(), "bytes", !root.quiet());
        BackupReport report;
        try {
            report = DirectoryBackup.run(source, to, root.storeOptions(), root.programVersion(), keep, progress::at);
        } finally {
            progress.clear();
        }
        print(source, report);
        return (report.clean() ? ExitCode.DONE : ExitCode.FAILED).code();
    }

    private void print(Path source, BackupReport report) {
        if (root.output() == OutputFormat.JSON || root.output() == OutputFormat.JSONL) {
            root.session().print(Json.write(object(source, report)) + "\n");
        } else {
            root.session().print(report.folder() + "\n");
        }
        for (Finding finding : report.damage()) {
            root.session()
                    .note("damaged: " + finding.file()
                            + (finding.position() < 0 ? "" : " at byte " + finding.position()) + ": "
                            + finding.problem());
        }
        Manifest manifest = report.manifest();
        root.note(source + ": " + counted(manifest.partitions().size(), "partition") + ", "
                + counted(manifest.groups().size(), "group") + ", " + ByteSizes.show(report.bytes()) + " in "
                + counted(report.files(), "file") + "; " + ByteSizes.show(report.bytesCopied()) + " copied, "
                + counted(report.reused(), "file") + " shared with the backup before"
                + (report.expired() == 0 ? "" : ", " + counted(report.expired(), "old backup") + " deleted"));
    }

    static String counted(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    private static Map<String, Object> object(Path source, BackupReport report) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("directory", source.toString());
        object.put("backup", report.folder().toString());
        object.put("createdAt", report.manifest().createdAt().toString());
        object.put("clusterId", report.manifest().clusterId().toString());
        object.put("partitions", report.manifest().partitions().size());
        object.put("groups", report.manifest().groups().size());
        object.put("files", report.files());
        object.put("filesShared", report.reused());
        object.put("bytes", report.bytes());
        object.put("bytesCopied", report.bytesCopied());
        object.put("expired", report.expired());
        object.put("damage", report.manifest().damage());
        return object;
    }
}
