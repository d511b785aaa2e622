package dev.muster.store.file.check;

import dev.muster.core.Topic;
import dev.muster.disk.Disk;
import dev.muster.store.StoreIoException;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.finding.Findings;
import dev.muster.store.file.group.GroupsCheck;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.DiskErrors;
import dev.muster.store.file.log.check.PartitionCheck;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.topic.TopicsCheck;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Verifies a directory: every file, every checksum, every offset, every index entry, every line of a group's journal.
 * It works beside running processes and without the right to write. Each finding names the repair that can correct it.
 * With repair these repairs are made; no repair changes a log file.
 */
public final class DirectoryCheck {
    /** The progress of the check. */
    public record Progress(String partition, long bytes) {}

    private final Disk disk;
    private final Layout layout;
    private final UUID bootId;
    private final Findings findings;
    private final Consumer<Progress> progress;
    private final PartitionCheck.Totals totals = new PartitionCheck.Totals();
    private int partitions;

    private DirectoryCheck(Disk disk, Layout layout, UUID bootId, Findings findings, Consumer<Progress> progress) {
        this.disk = disk;
        this.layout = layout;
        this.bootId = bootId;
        this.findings = findings;
        this.progress = progress;
    }

    public static CheckReport run(Path directory, boolean repair, Consumer<Progress> progress) {
        return run(directory, FileStoreOptions.defaults(), repair, progress);
    }

    public static CheckReport run(
            Path directory, FileStoreOptions options, boolean repair, Consumer<Progress> progress) {
        Layout layout = new Layout(directory.toAbsolutePath().normalize());
        try {
            Disk disk = options.disk();
            Findings findings = new Findings(repair, CoordinatorCheck.inUse(disk, layout));
            return new DirectoryCheck(disk, layout, options.host().bootId(), findings, progress).run(options);
        } catch (AccessDeniedException e) {
            throw DiskErrors.of("check " + directory, e);
        } catch (IOException e) {
            throw new StoreIoException("cannot check " + directory + ": " + e.getMessage(), e);
        }
    }

    private CheckReport run(FileStoreOptions options) throws IOException {
        CoordinatorCheck coordinator = new CoordinatorCheck(
                disk, layout, options.host(), options.runtime().clock(), findings);
        coordinator.run();
        List<Topic> topics = new TopicsCheck(disk, layout, bootId, findings).run();
        for (Topic topic : topics) {
            for (int i = 0; i < topic.partitions(); i++) {
                check(topic, i);
            }
        }
        coordinator.checkProducerIds(totals.highestProducerId());
        int groups = checkGroups(topics);
        return new CheckReport(
                findings.all(), topics.size(), partitions, groups, totals.batches(), totals.records(), totals.bytes());
    }

    private void check(Topic topic, int partition) throws IOException {
        partitions++;
        PartitionKey key = new PartitionKey(topic.id(), partition, layout.partition(topic.id(), partition));
        String name = topic.name() + "-" + partition;
        new PartitionCheck(disk, key, name, topic.settings(), bootId, findings, _ -> null)
                .run(totals, bytes -> progress.accept(new Progress(name, bytes)));
    }

    private int checkGroups(List<Topic> topics) throws IOException {
        GroupsCheck groups = new GroupsCheck(disk, layout, bootId, findings);
        List<GroupsCheck.Journal> journals = groups.run();
        for (GroupsCheck.Journal journal : journals) {
            String name = journal.concerned();
            CommitsBeyondEnd commits = CommitsBeyondEnd.in(disk, journal.key());
            PartitionCheck check =
                    new PartitionCheck(disk, journal.key(), name, journal.settings(), bootId, findings, commits::take);
            check.run(totals, bytes -> progress.accept(new Progress(name, bytes)));
            groups.checkViews(journal, check.end());
            commits.compare(disk, layout, bootId, topics, name, findings);
        }
        return journals.size();
    }
}
