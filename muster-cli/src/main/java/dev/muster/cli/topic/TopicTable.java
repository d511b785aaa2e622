package dev.muster.cli.topic;

import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.ByteSizes;
import dev.muster.cli.text.Table;
import dev.muster.cli.text.Table.Column;
import dev.muster.cli.text.Table.Shown;
import dev.muster.core.Topic;
import dev.muster.core.TopicSettings;
import dev.muster.embedded.admin.PartitionInfo;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Topics and partitions as rows. The keys are the documented schema of {@code -o json} and never change their meaning.
 */
final class TopicTable {
    private TopicTable() {}

    static Table of(List<Topic> topics) {
        Table table = new Table(
                Column.of("NAME", "name"),
                Column.of("PARTITIONS", "partitionCount"),
                Column.of("SYNC", "sync"),
                Column.wide("ID", "id"),
                Column.wide("CREATED", "createdAt"),
                Column.wide("SETTINGS", "settings"));
        for (Topic topic : topics) {
            table.row(
                    topic.name().value(),
                    topic.partitions(),
                    topic.settings().sync().toString(),
                    topic.id().toString(),
                    topic.createdAt().toString(),
                    new Shown(topic.settings().toMap(), changedSettings(topic.settings())));
        }
        return table;
    }

    static Table ofPartitions(List<PartitionInfo> partitions) {
        Table table = new Table(
                Column.of("PARTITION", "partition"),
                Column.of("START", "startOffset"),
                Column.of("END", "endOffset"),
                Column.of("RECORDS", "records"),
                Column.of("SIZE", "sizeBytes"));
        for (PartitionInfo partition : partitions) {
            table.row(
                    partition.partition(),
                    partition.startOffset(),
                    partition.endOffset(),
                    partition.records(),
                    new Shown(partition.sizeBytes(), ByteSizes.show(partition.sizeBytes())));
        }
        return table;
    }

    /** Reports a change of a topic: a note, or the topic itself if a format was given. */
    static void report(RootCommand root, Topic topic, String what) {
        if (root.outputGiven()) {
            root.session().print(of(List.of(topic)).render(root.output(), root.colorful()));
        } else {
            root.note(what);
        }
    }

    /** The settings that differ from the defaults. */
    private static String changedSettings(TopicSettings settings) {
        Map<String, String> changed = new LinkedHashMap<>(settings.toMap());
        changed.entrySet().removeAll(TopicSettings.DEFAULT.toMap().entrySet());
        return changed.isEmpty()
                ? "-"
                : String.join(
                        ",", changed.entrySet().stream().map(Object::toString).toList());
    }
}
