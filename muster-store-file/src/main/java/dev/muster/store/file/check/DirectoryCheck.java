package dev.muster.store.file.check;

import dev.muster.store.StoreIoException;
import dev.muster.store.StoreNotFoundException;
import dev.muster.store.Topic;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.Layout;
import dev.muster.store.file.TopicCatalog;
import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.group.GroupCatalog;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.file.log.PartitionCheck;
import dev.muster.store.file.log.PartitionKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Verifies a directory: every checksum, every offset, every index entry, every line of a group's journal. Works beside
 * running processes and without the right to write. With repair it makes indexes anew; it never touches a log file.
 */
public final class DirectoryCheck {
    /** How far the check has come. */
    public record Progress(String partition, long bytes) {}

    private DirectoryCheck() {}

    public static CheckReport run(Path directory, boolean repair, Consumer<Progress> progress) {
        return run(directory, FileStoreOptions.defaults(), repair, progress);
    }

    public static CheckReport run(
            Path directory, FileStoreOptions options, boolean repair, Consumer<Progress> progress) {
        Disk disk = options.disk();
        ProcessIdentity host = options.host();
        Layout layout = new Layout(directory.toAbsolutePath().normalize());
        List<Finding> findings = new ArrayList<>();
        PartitionCheck.Totals totals = new PartitionCheck.Totals();
        int topics = 0;
        int partitions = 0;
        int groups;
        try {
            TopicCatalog.Contents contents = TopicCatalog.read(disk, layout);
            if (!contents.isStore()) {
                throw new StoreNotFoundException(directory.toString());
            }
            contents.unreadable()
                    .forEach((file, problem) ->
                            findings.add(new Finding(Finding.Severity.DAMAGE, file, -1, "", -1, problem)));
            for (Topic topic : contents.topics()) {
                topics++;
                for (int i = 0; i < topic.partitions(); i++) {
                    partitions++;
                    PartitionKey key = new PartitionKey(topic.id(), i, layout.partition(topic.id(), i));
                    String name = topic.name() + "-" + i;
                    new PartitionCheck(disk, key, name, topic.settings(), host.bootId(), repair, _ -> null)
                            .run(findings, totals, bytes -> progress.accept(new Progress(name, bytes)));
                }
            }
            groups = checkGroups(disk, layout, host.bootId(), repair, findings, totals, progress);
        } catch (IOException e) {
            throw new StoreIoException("cannot check " + directory + ": " + e.getMessage(), e);
        }
        return new CheckReport(
                List.copyOf(findings), topics, partitions, groups, totals.batches(), totals.records(), totals.bytes());
    }

    private static int checkGroups(
            Disk disk,
            Layout layout,
            UUID bootId,
            boolean repair,
            List<Finding> findings,
            PartitionCheck.Totals totals,
            Consumer<Progress> progress)
            throws IOException {
        GroupCatalog.Contents contents = GroupCatalog.read(disk, layout, bootId);
        contents.unreadable()
                .forEach((file, problem) ->
                        findings.add(new Finding(Finding.Severity.DAMAGE, file, -1, "", -1, problem)));
        contents.ownerless()
                .forEach(folder -> findings.add(new Finding(
                        Finding.Severity.NOTE, folder, -1, "", -1, "no group is in this folder; it can be deleted")));
        for (GroupCatalog.Journal journal : contents.journals()) {
            String name = "group " + journal.group();
            new PartitionCheck(disk, journal.key(), name, journal.settings(), bootId, repair, GroupCatalog::problem)
                    .run(findings, totals, bytes -> progress.accept(new Progress(name, bytes)));
        }
        return contents.journals().size();
    }
}
