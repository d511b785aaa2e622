package dev.muster.store.file.check;

import dev.muster.store.StoreIoException;
import dev.muster.store.StoreNotFoundException;
import dev.muster.store.Topic;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.Layout;
import dev.muster.store.file.TopicCatalog;
import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.file.log.PartitionCheck;
import dev.muster.store.file.log.PartitionKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Verifies a directory: every checksum, every offset, every index entry. Works beside running processes and without the
 * right to write. With repair it makes indexes anew; it never touches a log file.
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
                    new PartitionCheck(disk, key, name, topic.settings(), host.bootId(), repair)
                            .run(findings, totals, bytes -> progress.accept(new Progress(name, bytes)));
                }
            }
        } catch (IOException e) {
            throw new StoreIoException("cannot check " + directory + ": " + e.getMessage(), e);
        }
        return new CheckReport(
                List.copyOf(findings), topics, partitions, totals.batches(), totals.records(), totals.bytes());
    }
}
