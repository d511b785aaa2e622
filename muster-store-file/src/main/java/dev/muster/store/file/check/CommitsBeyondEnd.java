package dev.muster.store.file.check;

import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.TopicShape;
import dev.muster.disk.Disk;
import dev.muster.store.file.finding.Finding;
import dev.muster.store.file.finding.Finding.Severity;
import dev.muster.store.file.finding.Findings;
import dev.muster.store.file.group.GroupsCheck;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.copy.PartitionCopy;
import dev.muster.store.file.log.segment.PartitionKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Finds commits of a group that are ahead of the records. They come from logs that were restored from an older copy
 * beside a newer journal, or from records lost in a power cut. It takes the lines of the journal one by one, and then
 * compares.
 */
final class CommitsBeyondEnd {
    private static final String FIRST_SEGMENT = "00000000000000000000.log";

    private Group state = Group.empty();
    /** True once the state is known. If the first lines are missing, it is false until a snapshot. */
    private boolean known;

    /** @param fromTheFirst true if the journal still has its first line */
    private CommitsBeyondEnd(boolean fromTheFirst) {
        this.known = fromTheFirst;
    }

    static CommitsBeyondEnd in(Disk disk, PartitionKey journal) {
        return new CommitsBeyondEnd(disk.exists(journal.folder().resolve(FIRST_SEGMENT)));
    }

    /**
     * Takes the next line of the journal.
     *
     * @return the problem with the line; null if there is none
     */
    String take(byte[] line) {
        String problem = GroupsCheck.problem(line);
        if (problem != null) {
            known = false;
            return problem;
        }
        String text = new String(line, StandardCharsets.UTF_8);
        try {
            if (known || GroupJson.isSnapshot(text)) {
                state = GroupJson.replay(state, text);
                known = true;
            }
        } catch (RuntimeException e) {
            // Earlier lines are damaged, or a later version wrote this one. The state is known again at the next
            // snapshot.
            known = false;
        }
        return null;
    }

    /**
     * Compares the commits with the ends of the logs. The ends are read after the journal, because a commit is never
     * ahead of the end that its member saw.
     */
    void compare(Disk disk, Layout layout, UUID bootId, List<Topic> topics, String group, Findings findings)
            throws IOException {
        if (!known) {
            return;
        }
        for (Map.Entry<TopicPartition, Commit> each : state.offsets().entrySet()) {
            TopicPartition partition = each.getKey();
            TopicShape shape = state.topics().get(partition.topic());
            Optional<Topic> topic = topics.stream()
                    .filter(one ->
                            shape != null && one.id().equals(shape.id()) && partition.partition() < one.partitions())
                    .findFirst();
            if (topic.isEmpty()) {
                continue;
            }
            PartitionKey key = new PartitionKey(
                    topic.get().id(),
                    partition.partition(),
                    layout.partition(topic.get().id(), partition.partition()));
            boolean atCommit = topic.get().settings().sync() == SyncLevel.COMMIT;
            long end = PartitionCopy.endOffset(disk, key, bootId, !atCommit);
            long committed = each.getValue().offset().offset();
            if (committed > end) {
                findings.add(new Finding(
                        // Records that were not synced may be lost in a power cut, and that is no damage.
                        atCommit ? Severity.DAMAGE : Severity.NOTE,
                        key.folder(),
                        -1,
                        partition.topic() + "-" + partition.partition(),
                        end,
                        group + " has committed offset " + committed + ", but the log ends at " + end
                                + ": records are gone, as after the restore of an older copy or a power cut; the group"
                                + " continues at " + end));
            }
        }
    }
}
