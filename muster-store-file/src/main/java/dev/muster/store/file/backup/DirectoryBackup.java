package dev.muster.store.file.backup;

import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.NoRoomException;
import dev.muster.store.DiskFullException;
import dev.muster.store.StoreIoException;
import dev.muster.store.StoreNotFoundException;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.finding.Finding;
import dev.muster.store.file.finding.Finding.Severity;
import dev.muster.store.file.group.GroupCatalog;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.DiskErrors;
import dev.muster.store.file.log.copy.FileCopy;
import dev.muster.store.file.log.copy.PartitionCopy;
import dev.muster.store.file.log.copy.PartitionCopy.CopiedFile;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.topic.TopicCatalog;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Makes a backup of a directory that any number of processes use. It does not stop or delay them, and needs no right to
 * write there.
 *
 * <p>All journals of groups are copied first, up to their durable ends, and then the records, up to the ends that
 * readers see then. A group commits only what it has read, so no commit in the backup is ahead of the records in it.
 */
public final class DirectoryBackup {
    private static final System.Logger LOG = System.getLogger(DirectoryBackup.class.getName());
    private static final String GROUP_JSON = "group.json";

    private final Disk disk;
    private final Layout source;
    private final FileStoreOptions options;
    private final Generations generations;
    private final Consumer<Long> progress;
    private final Path draft;
    /** The newest backup whose manifest can be read; null if there is none. */
    private Path earlier;

    private final Map<String, Manifest.File> earlierFiles = new HashMap<>();
    private final Map<Path, Manifest.File> files = new HashMap<>();
    private final Set<Path> folders = new HashSet<>();
    private final List<Manifest.Partition> partitions = new ArrayList<>();
    private final List<Manifest.GroupVersion> groups = new ArrayList<>();
    private final List<Finding> damage = new ArrayList<>();
    private long bytesCopied;
    private int reused;

    private DirectoryBackup(
            Layout source, Generations generations, int number, FileStoreOptions options, Consumer<Long> progress) {
        this.disk = options.disk();
        this.source = source;
        this.options = options;
        this.generations = generations;
        this.progress = progress;
        this.draft = generations.draft(number);
    }

    /**
     * Makes a backup.
     *
     * @param to the directory for backups: new, empty, or with backups of the same store
     * @param madeBy the version of the program
     * @param keep the number of backups to keep, the new one included
     * @param progress the consumer of the number of bytes copied so far
     * @throws StoreNotFoundException if the directory is no store
     * @throws DiskFullException if there is no room: backups made before are unchanged
     */
    public static BackupReport run(
            Path directory, Path to, FileStoreOptions options, String madeBy, int keep, Consumer<Long> progress) {
        Layout source = new Layout(directory.toAbsolutePath().normalize());
        Path target = to.toAbsolutePath().normalize();
        Disk disk = options.disk();
        if (!disk.exists(source.root().resolve(Layout.MUSTER_JSON))) {
            throw new StoreNotFoundException(directory.toString());
        }
        if (keep < 1) {
            throw new UnsupportedStoreException("at least one backup must be kept, not " + keep, "choose 1 or more");
        }
        Generations generations = new Generations(disk, target);
        try {
            if (Generations.overlap(disk, target, source.root())) {
                throw new UnsupportedStoreException(
                        "the backup must neither be inside the directory that it copies nor contain it: " + to,
                        "name a directory on another disk");
            }
            generations.prepare(source.root());
            try (DiskFile _ = generations.lock()) {
                generations.deleteUnfinished();
                int number = generations.newest().orElse(0) + 1;
                return new DirectoryBackup(source, generations, number, options, progress).make(number, madeBy, keep);
            }
        } catch (NoRoomException e) {
            throw new DiskFullException("a backup in " + to + "; backups made before are unchanged", e);
        } catch (AccessDeniedException e) {
            throw DiskErrors.of("back up " + directory + " to " + to, e);
        } catch (IOException e) {
            throw new StoreIoException("cannot back up " + directory + " to " + to + ": " + Generations.reason(e), e);
        }
    }

    private BackupReport make(int number, String madeBy, int keep) throws IOException {
        Instant began = options.runtime().clock().instant();
        boolean done = false;
        try {
            UUID cluster = clusterId();
            readEarlier(cluster);
            disk.createFolders(draft);
            disk.restrict(draft, source.root());
            for (Path file : List.of(source.musterJson(), source.musterJsonCopy())) {
                write(disk.readAll(source.musterJson()), target(file));
            }
            copyIfThere(source.settings());
            copyGroups();
            copyTopics();
            // Copied last, so that the claims cover the ids of all copied records.
            copyIfThere(source.producerIds());
            // Copied last too, so that every topic that was left out as deleted is recorded in it.
            copyIfThere(source.deletedTopics());
            Manifest manifest = new Manifest(
                    began,
                    madeBy,
                    cluster,
                    List.copyOf(partitions),
                    List.copyOf(groups),
                    folders.stream()
                            .map(folder -> draft.relativize(folder).toString())
                            .sorted()
                            .toList(),
                    files.entrySet().stream()
                            .sorted(Map.Entry.comparingByKey())
                            .map(Map.Entry::getValue)
                            .toList(),
                    damage.stream().map(DirectoryBackup::sentence).toList());
            disk.writeDurably(draft.resolve(Manifest.FILE), manifest.toJson());
            syncFolders();
            generations.settle(number);
            done = true;
            int expired = generations.prune(keep);
            return new BackupReport(
                    generations.path(number),
                    manifest,
                    files.size(),
                    reused,
                    bytesCopied,
                    files.values().stream().mapToLong(Manifest.File::bytes).sum(),
                    List.copyOf(damage),
                    expired);
        } finally {
            if (!done) {
                dropDraft();
            }
        }
    }

    private void dropDraft() {
        try {
            disk.deleteTree(draft);
        } catch (IOException | RuntimeException e) {
            // The next backup deletes it.
            LOG.log(System.Logger.Level.DEBUG, "left behind: {0}: {1}", draft, e.getMessage());
        }
    }

    private static String sentence(Finding finding) {
        return finding.file() + (finding.position() < 0 ? "" : " at byte " + finding.position()) + ": "
                + finding.problem();
    }

    private UUID clusterId() {
        return TopicCatalog.clusterId(disk, source);
    }

    /** Reads the manifest of the backup before. Its closed segments need not be copied again. */
    private void readEarlier(UUID cluster) throws IOException {
        for (int number : generations.all().reversed()) {
            Path backup = generations.path(number);
            try {
                Manifest manifest = generations.manifest(backup);
                refuseAnother(backup, manifest.clusterId(), cluster);
                manifest.files().forEach(file -> earlierFiles.put(file.path(), file));
                earlier = backup;
                return;
            } catch (StoreIoException e) {
                LOG.log(System.Logger.Level.WARNING, "nothing is shared with this backup: {0}", e.getMessage());
            }
        }
    }

    private static void refuseAnother(Path backup, UUID its, UUID cluster) {
        if (!its.equals(cluster)) {
            throw new UnsupportedStoreException(
                    backup + " is a backup of another store (cluster " + its + ", this is " + cluster + ")",
                    "name another directory for the backups of this one");
        }
    }

    // ---- groups

    private void copyGroups() throws IOException {
        GroupCatalog.Contents contents =
                GroupCatalog.read(disk, source, options.host().bootId());
        contents.unreadable().forEach((file, problem) -> leftOut(file, "", problem));
        for (Path folder : contents.ownerless()) {
            if (disk.list(folder).stream().anyMatch(name -> name.startsWith("journal-"))) {
                leftOut(folder.resolve(GROUP_JSON), "", "the file is missing");
            }
        }
        for (GroupCatalog.Journal journal : contents.journals()) {
            String name = "group " + journal.group();
            Path folder = journal.key().folder().getParent();
            try {
                // Only durable lines count, because a line is durable before its caller gets a response.
                PartitionCopy.Result copied = copyPartition(journal.key(), name, false);
                copySmall(folder.resolve(GROUP_JSON));
                checkThere(journal.key().folder());
                take(journal.key().folder(), copied);
                groups.add(new Manifest.GroupVersion(journal.group(), copied.end()));
            } catch (NoSuchFileException e) {
                dropIfGone(journal, name, e);
            }
        }
    }

    // ---- topics

    private void copyTopics() throws IOException {
        TopicCatalog.Contents contents =
                TopicCatalog.read(disk, source, options.host().bootId());
        contents.unreadable().forEach((file, problem) -> leftOut(file, "", problem));
        for (Topic topic : contents.topics()) {
            copyTopic(topic);
        }
        for (Path folder :
                TopicCatalog.recordsWithoutTopic(disk, source, options.host().bootId())) {
            leftOut(folder, "", "records of an unknown topic: its topic.json and the copy are missing or damaged");
        }
    }

    private void copyTopic(Topic topic) throws IOException {
        Map<Integer, PartitionCopy.Result> copied = new TreeMap<>();
        List<Integer> missing = new ArrayList<>();
        for (int i = 0; i < topic.partitions(); i++) {
            Path folder = source.partition(topic.id(), i);
            PartitionKey key = new PartitionKey(topic.id(), i, folder);
            try {
                PartitionCopy.Result one = copyPartition(
                        key, topic.name() + "-" + i, topic.settings().sync() != SyncLevel.COMMIT);
                checkThere(folder);
                copied.put(i, one);
            } catch (NoSuchFileException e) {
                boolean isThere = TopicCatalog.read(disk, source, options.host().bootId()).topics().stream()
                        .anyMatch(now -> now.id().equals(topic.id()));
                if (!isThere) {
                    // The topic was deleted since the backup began.
                    disk.deleteTree(target(source.log(topic.id())));
                    return;
                }
                if (disk.exists(folder)) {
                    throw e;
                }
                disk.deleteTree(target(folder));
                missing.add(i);
            }
        }
        missing.forEach(i -> leftOut(
                source.partition(topic.id(), i), topic.name() + "-" + i, "the folder of the partition is missing"));
        copied.forEach((i, one) -> {
            take(source.partition(topic.id(), i), one);
            partitions.add(
                    new Manifest.Partition(topic.name().value(), topic.id().toString(), i, one.start(), one.end()));
        });
        for (Path file : List.of(source.topicJson(topic.name()), source.topicCopy(topic.id()))) {
            write(TopicCatalog.toJson(topic), target(file));
        }
    }

    // ---- parts

    private PartitionCopy.Result copyPartition(PartitionKey key, String name, boolean showsUnsynced)
            throws IOException {
        Path to = target(key.folder());
        disk.createFolders(to.getParent());
        PartitionCopy.Earlier before = new PartitionCopy.Earlier() {
            @Override
            public Optional<CopiedFile> closed(String file) throws IOException {
                return closedEarlier(key.folder(), file);
            }

            @Override
            public DiskFile open(CopiedFile file) throws IOException {
                return disk.open(earlierPath(key.folder(), file.name()));
            }

            @Override
            public boolean link(CopiedFile file, Path link) throws IOException {
                return linkEarlier(key.folder(), file, link);
            }
        };
        return new PartitionCopy(disk, key, name, options.host().bootId(), showsUnsynced, before, this::count).into(to);
    }

    private Optional<CopiedFile> closedEarlier(Path folder, String file) throws IOException {
        Manifest.File known =
                earlierFiles.get(source.root().relativize(folder.resolve(file)).toString());
        if (known == null || !known.closed()) {
            return Optional.empty();
        }
        Path there = earlierPath(folder, file);
        boolean whole = disk.exists(there) && disk.size(there) == known.bytes();
        return whole ? Optional.of(new CopiedFile(file, known.bytes(), known.crc(), true, true)) : Optional.empty();
    }

    /** The path of a file of this folder in the backup before. */
    private Path earlierPath(Path folder, String file) {
        return earlier.resolve(source.root().relativize(folder)).resolve(file);
    }

    private boolean linkEarlier(Path folder, CopiedFile file, Path link) throws IOException {
        try {
            disk.link(earlierPath(folder, file.name()), link);
            return true;
        } catch (NoRoomException e) {
            throw e;
        } catch (IOException | UnsupportedOperationException e) {
            // Not every file system has hard links, and the number of links of a file has a limit. Then the file is
            // copied.
            return false;
        }
    }

    private void take(Path folder, PartitionCopy.Result copied) {
        for (Finding finding : copied.findings()) {
            damage.add(new Finding(
                    finding.severity(),
                    finding.file(),
                    finding.position(),
                    finding.topicPartition(),
                    finding.offset(),
                    finding.problem() + "; copied as it is"));
        }
        folders.add(target(folder));
        for (CopiedFile file : copied.files()) {
            made(target(folder).resolve(file.name()), file);
            reused += file.reused() ? 1 : 0;
        }
    }

    private void made(Path file, CopiedFile copied) {
        String path = draft.relativize(file).toString();
        files.put(file, new Manifest.File(path, copied.bytes(), copied.crc(), copied.closed()));
    }

    private void copySmall(Path file) throws IOException {
        write(disk.readAll(file), target(file));
    }

    private void write(byte[] content, Path file) throws IOException {
        made(file, new FileCopy(disk, this::count).write(content, inNewFolder(file)));
    }

    private void copyIfThere(Path file) throws IOException {
        try {
            copySmall(file);
        } catch (NoSuchFileException e) {
            // The file is created when it is first needed.
            assert !disk.exists(file) : e;
        }
    }

    /**
     * Throws if the folder is missing. A folder that exists after its copy existed all the time, because paths are
     * never used again.
     */
    private void checkThere(Path folder) throws IOException {
        if (!disk.exists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
    }

    private void dropIfGone(GroupCatalog.Journal journal, String name, NoSuchFileException e) throws IOException {
        Path folder = journal.key().folder();
        if (disk.exists(folder)) {
            throw e;
        }
        boolean isThere = GroupCatalog.read(disk, source, options.host().bootId()).journals().stream()
                .anyMatch(now -> now.key().folder().equals(folder));
        if (isThere) {
            leftOut(folder, name, "the folder of the journal is missing");
        }
        // Otherwise the group was deleted since the backup began.
        Path target = target(folder.getParent());
        disk.deleteTree(target);
        files.keySet().removeIf(file -> file.startsWith(target));
    }

    private void leftOut(Path file, String what, String problem) {
        damage.add(new Finding(Severity.DAMAGE, file, -1, what, -1, problem + "; it is not in the backup"));
    }

    private Path target(Path path) {
        return draft.resolve(source.root().relativize(path));
    }

    private Path inNewFolder(Path file) throws IOException {
        disk.createFolders(file.getParent());
        return file;
    }

    private void count(long bytes) {
        bytesCopied += bytes;
        progress.accept(bytesCopied);
    }

    /** Makes the names of all files durable, the deepest first. */
    private void syncFolders() throws IOException {
        for (Path file : files.keySet()) {
            for (Path folder = file.getParent(); folder.startsWith(draft); folder = folder.getParent()) {
                folders.add(folder);
            }
        }
        for (Path folder : List.copyOf(folders)) {
            for (Path above = folder; above.startsWith(draft); above = above.getParent()) {
                folders.add(above);
            }
        }
        folders.add(draft);
        for (Path folder : folders.stream()
                .sorted((a, b) -> b.getNameCount() - a.getNameCount())
                .toList()) {
            disk.syncFolder(folder);
        }
    }
}
