package dev.muster.cli.backup;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.ProgressLine;
import dev.muster.cli.command.ReadPermission;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.ByteSizes;
import dev.muster.cli.text.OutputFormat;
import dev.muster.core.json.Json;
import dev.muster.store.file.backup.BackupNotFoundException;
import dev.muster.store.file.backup.DirectoryRestore;
import dev.muster.store.file.backup.Manifest;
import dev.muster.store.file.backup.RestoreReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster restore}. */
@Command(
        name = "restore",
        description = "Put a backup back into a new or empty directory, and verify every byte of it.",
        footer = {
            "",
            "Examples:",
            "  muster restore /mnt/backups ./muster-data                 # the newest backup",
            "  muster restore /mnt/backups/backup-000017 ./muster-data   # a certain one"
        })
@Formats({OutputFormat.TABLE, OutputFormat.JSON, OutputFormat.JSONL})
public final class RestoreCommand implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(index = "0", paramLabel = "FROM", description = "A directory of backups, or one backup.")
    private Path from;

    @Parameters(index = "1", paramLabel = "TO", description = "A new or an empty directory.")
    private Path to;

    public RestoreCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        root.requireWriting("muster restore");
        ReadPermission.check(from);
        if (!Files.isDirectory(from)) {
            throw new CommandException(ExitCode.NOT_FOUND, "there is no directory " + from, "muster restore FROM TO");
        }
        ProgressLine progress = new ProgressLine(root.session(), "bytes", !root.quiet());
        RestoreReport report;
        try {
            report = DirectoryRestore.run(from, to, root.storeOptions(), progress::at);
        } catch (BackupNotFoundException e) {
            throw new CommandException(ExitCode.NOT_FOUND, e.getMessage(), "muster restore FROM TO", e);
        } finally {
            progress.clear();
        }
        print(report);
        return ExitCode.DONE.code();
    }

    private void print(RestoreReport report) {
        Manifest manifest = report.manifest();
        if (root.output() == OutputFormat.JSON || root.output() == OutputFormat.JSONL) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("backup", report.from().toString());
            object.put("directory", to.toString());
            object.put("createdAt", manifest.createdAt().toString());
            object.put("clusterId", manifest.clusterId().toString());
            object.put("partitions", manifest.partitions().size());
            object.put("groups", manifest.groups().size());
            object.put("bytes", report.bytes());
            object.put("leaderEpoch", report.epoch());
            object.put("damage", manifest.damage());
            root.session().print(Json.write(object) + "\n");
        }
        manifest.damage().forEach(damage -> root.session().note("damaged when the backup was made: " + damage));
        root.note(to + ": the backup of " + manifest.createdAt() + " is restored and verified: "
                + BackupCommand.counted(manifest.partitions().size(), "partition") + ", "
                + BackupCommand.counted(manifest.groups().size(), "group") + ", "
                + ByteSizes.show(report.bytes()));
    }
}
