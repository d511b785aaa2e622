package dev.muster.cli.topic;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.ByteSizes;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.Table;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.json.Json;
import dev.muster.embedded.admin.PartitionInfo;
import dev.muster.store.DiskState;
import dev.muster.store.file.RetentionClock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster topic describe}. */
@Command(
        name = "describe",
        description = "Show a topic: id, settings, and for each partition start, end, records and size.",
        footer = {"", "Example:", "  muster topic describe orders -o json"})
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class TopicDescribe implements Callable<Integer> {
    /** The longest setting has 31 characters. */
    private static final int KEY_WIDTH = 32;

    private final RootCommand root;

    @Parameters(paramLabel = "TOPIC", description = "The topic to show.")
    private String topic;

    TopicDescribe(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        TopicName name = new TopicName(topic);
        OutputFormat format = root.output();
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            Topic described = opened.muster().topics().describe(name.value());
            List<PartitionInfo> partitions = opened.muster().topics().partitions(name.value());
            root.session()
                    .print(render(described, partitions, opened.muster().disk().orElse(null), format));
            RetentionClock.problem(root.data()).ifPresent(clocks -> root.note("muster: " + clocks));
        }
        return ExitCode.DONE.code();
    }

    /** @param disk null if the size of the disk is unknown */
    private String render(Topic described, List<PartitionInfo> partitions, DiskState disk, OutputFormat format) {
        Table table = TopicTable.ofPartitions(partitions);
        return switch (format) {
            case JSON, JSONL -> Json.write(object(described, partitions, disk, table)) + "\n";
            case NAME -> described.name() + "\n";
            case CSV -> table.render(format, false);
            case TABLE, WIDE -> head(described, partitions, disk) + "\n" + table.render(format, root.colorful());
        };
    }

    private static Map<String, Object> object(
            Topic described, List<PartitionInfo> partitions, DiskState disk, Table table) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", described.name().value());
        object.put("id", described.id().toString());
        object.put("createdAt", described.createdAt().toString());
        object.put("partitionCount", described.partitions());
        object.put("records", records(partitions));
        object.put("sizeBytes", sizeBytes(partitions));
        if (disk != null) {
            Map<String, Object> room = new LinkedHashMap<>();
            room.put("state", disk.level().toString());
            room.put("freeBytes", disk.freeBytes());
            room.put("minFreeBytes", disk.minFreeBytes());
            room.put("totalBytes", disk.totalBytes());
            object.put("disk", room);
        }
        object.put("settings", described.settings().toMap());
        object.put("partitions", table.objects());
        return object;
    }

    private static String head(Topic described, List<PartitionInfo> partitions, DiskState disk) {
        StringBuilder head = new StringBuilder();
        line(head, "name", described.name());
        line(head, "id", described.id());
        line(head, "created", described.createdAt());
        line(head, "records", records(partitions));
        line(head, "size", ByteSizes.show(sizeBytes(partitions)));
        if (disk != null) {
            line(head, "disk", show(disk));
        }
        described.settings().toMap().forEach((key, value) -> line(head, key, value));
        return head.toString();
    }

    private static String show(DiskState disk) {
        String room = disk.level() + ", " + ByteSizes.show(disk.freeBytes()) + " free, "
                + ByteSizes.show(disk.minFreeBytes()) + " kept";
        return disk.level() == DiskState.Level.FULL ? room + ": records are refused" : room;
    }

    private static void line(StringBuilder head, String key, Object value) {
        head.append(key)
                .append(" ".repeat(Math.max(1, KEY_WIDTH - key.length())))
                .append(value)
                .append('\n');
    }

    private static long records(List<PartitionInfo> partitions) {
        return partitions.stream().mapToLong(PartitionInfo::records).sum();
    }

    private static long sizeBytes(List<PartitionInfo> partitions) {
        return partitions.stream().mapToLong(PartitionInfo::sizeBytes).sum();
    }
}
