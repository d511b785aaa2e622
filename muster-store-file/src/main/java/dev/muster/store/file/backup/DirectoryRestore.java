package dev.muster.store.file.backup;

import dev.muster.core.TopicId;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.NoRoomException;
import dev.muster.store.DiskFullException;
import dev.muster.store.StoreIoException;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.DiskErrors;
import dev.muster.store.file.log.copy.FileCopy;
import dev.muster.store.file.log.copy.PartitionCopy.CopiedFile;
import dev.muster.store.file.log.copy.RestoredPartition;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Restores a backup into a new or empty directory and verifies every byte. The directory becomes a store with the last
 * step, when everything else is durable.
 *
 * <p>The store keeps its identity. Each partition begins a new leader epoch, so that clients which have seen later
 * records notice that these are gone. Ids of producers that may have been given out since are not given out again.
 */
public final class DirectoryRestore {
    private static final System.Logger LOG = System.getLogger(DirectoryRestore.class.getName());
    private static final Instant EPOCHS_COUNT_FROM = Instant.parse("2020-01-01T00:00:00Z");
    /**
     * The number of producer id claims that are skipped, of 16 bytes each. As many may have been made between the
     * backup and the restore.
     */
    private static final int CLAIMS_SKIPPED = 1 << 14;

    private static final int CLAIM = 16;
    private static final String LOST_FOUND = "lost+found";
    /**
     * The file that is locked while a restore writes into the directory, and deleted before the directory becomes a
     * store.
     */
    private static final String LOCK = "restore.lock";

    private final Disk disk;
    private final Path from;
    private final Layout target;
    private final Clock clock;
    private final Consumer<Long> progress;
    private final List<String> problems = new ArrayList<>();
    private long bytes;

    private DirectoryRestore(Disk disk, Path from, Layout target, Clock clock, Consumer<Long> progress) {
        this.disk = disk;
        this.from = from;
        this.target = target;
        this.clock = clock;
        this.progress = progress;
    }

    /**
     * Restores a backup.
     *
     * @param from the directory of backups, whose newest one is restored, or one backup
     * @param to the new or empty directory
     * @param progress the consumer of the number of bytes restored so far
     * @return the content of the backup
     */
    public static RestoreReport run(Path from, Path to, FileStoreOptions options, Consumer<Long> progress) {
        Disk disk = options.disk();
        Layout target = new Layout(to.toAbsolutePath().normalize());
        try {
            Path backup = Generations.newestOf(disk, from.toAbsolutePath().normalize());
            if (Generations.overlap(disk, from, target.root())) {
                throw new UnsupportedStoreException(
                        "the restored directory must neither be inside its backup nor contain it: " + to,
                        "name another directory");
            }
            refuseUnlessEmpty(disk, target.root(), to);
            if (!disk.exists(target.root())) {
                disk.createRoot(target.root());
                disk.restrict(target.root(), backup);
            }
            Path lock = target.root().resolve(LOCK);
            try (DiskFile held = disk.openForAppend(lock)) {
                // The lock on a file that another restore has deleted meanwhile is void.
                if (!held.tryLock()
                        || !disk.exists(lock)
                        || !disk.identity(lock).equals(held.identity())) {
                    throw new UnsupportedStoreException(
                            "another process restores into " + to + " now", "name a new or an empty directory");
                }
                try {
                    refuseUnlessEmpty(disk, target.root(), to);
                } catch (UnsupportedStoreException e) {
                    disk.delete(lock);
                    throw e;
                }
                return new DirectoryRestore(
                                disk, backup, target, options.runtime().clock(), progress)
                        .runOrDrop();
            }
        } catch (NoRoomException e) {
            throw new DiskFullException("what is restored into " + to + "; nothing was restored", e);
        } catch (AccessDeniedException e) {
            throw DiskErrors.of("restore " + from + " to " + to, e);
        } catch (IOException e) {
            throw new StoreIoException("cannot restore " + from + " to " + to + ": " + Generations.reason(e), e);
        }
    }

    private static void refuseUnlessEmpty(Disk disk, Path root, Path shown) throws IOException {
        if (!disk.isFolder(root) && disk.exists(root)) {
            throw new UnsupportedStoreException(shown + " is a file", "name a new or an empty directory");
        }
        Set<String> there = new HashSet<>(disk.list(root));
        there.removeAll(Set.of(LOST_FOUND, LOCK));
        if (there.contains(Layout.MUSTER_JSON)) {
            throw new UnsupportedStoreException(
                    shown + " holds a store already, which other processes may use: nothing is restored over it",
                    "name a new or an empty directory");
        }
        if (!there.isEmpty()) {
            throw new UnsupportedStoreException(
                    shown + " is not empty; the files may be from a restore that was interrupted",
                    "name a new or an empty directory, or delete what is in this one");
        }
    }

    /** Runs the restore. If it fails before the folder is a store, the folder is emptied again. */
    private RestoreReport runOrDrop() throws IOException {
        try {
            return run();
        } finally {
            if (!disk.exists(target.musterJson())) {
                drop();
            }
        }
    }

    private RestoreReport run() throws IOException {
        Path manifestFile = from.resolve(Manifest.FILE);
        Manifest manifest = Manifest.parse(manifestFile, disk.readAll(manifestFile));
        Set<Path> folders = new HashSet<>();
        for (String folder : manifest.folders()) {
            disk.createFolders(target.root().resolve(folder));
            folders.add(target.root().resolve(folder));
        }
        FileCopy copy = new FileCopy(disk, this::count);
        Path mark = target.musterJson();
        // A repair turns a directory with this copy into a store, so the copy gets its name after everything else.
        Path copyOfMark = target.musterJsonCopy();
        Map<Path, Path> drafts = new HashMap<>();
        for (Manifest.File file : manifest.files()) {
            Path to = target.root().resolve(file.path());
            disk.createFolders(to.getParent());
            folders.add(to.getParent());
            if (to.equals(mark) || to.equals(copyOfMark)) {
                drafts.put(to, to.resolveSibling(to.getFileName() + ".tmp"));
            }
            restore(file, drafts.getOrDefault(to, to), copy);
        }
        if (!drafts.containsKey(mark)) {
            problems.add(Layout.MUSTER_JSON + " is missing");
        }
        if (!problems.isEmpty()) {
            throw new StoreIoException(
                    "the backup " + from + " is damaged, nothing was restored: " + String.join("; ", problems), null);
        }
        int epoch = beginEpochs(manifest);
        skipProducerIds();
        disk.delete(target.root().resolve(LOCK));
        syncFolders(folders);
        if (drafts.containsKey(copyOfMark)) {
            disk.rename(drafts.get(copyOfMark), copyOfMark);
            disk.syncFolder(copyOfMark.getParent());
        }
        disk.rename(drafts.get(mark), mark);
        disk.syncFolder(target.root());
        Generations.syncAncestors(disk, target.root());
        return new RestoreReport(from, manifest, epoch, bytes);
    }

    private void restore(Manifest.File file, Path to, FileCopy copy) throws IOException {
        try (DiskFile source = disk.open(from.resolve(file.path()))) {
            if (source.size() != file.bytes()) {
                problems.add(file.path() + " has " + source.size() + " bytes, but had " + file.bytes()
                        + " when the backup was made");
                return;
            }
            CopiedFile copied = copy.copy(source, file.bytes(), to);
            if (copied.crc() != file.crc()) {
                problems.add(file.path() + " is not what was written: its checksum is wrong");
            }
        } catch (NoSuchFileException e) {
            problems.add(file.path() + " is missing");
        }
    }

    private void drop() {
        try {
            for (String name : disk.list(target.root())) {
                if (!name.equals(LOST_FOUND)) {
                    disk.deleteTree(target.root().resolve(name));
                }
            }
        } catch (IOException | RuntimeException e) {
            // The directory is no store, and the next restore reports that it is not empty.
            LOG.log(System.Logger.Level.DEBUG, "left behind: {0}: {1}", target.root(), e.getMessage());
        }
    }

    /**
     * Begins a new leader epoch in each partition. Power cuts since the backup may have begun epochs, and so may
     * earlier restores. So the new epoch is taken from the clock, and is higher than any that was counted.
     */
    private int beginEpochs(Manifest manifest) throws IOException {
        long seconds = Duration.between(EPOCHS_COUNT_FROM, clock.instant()).toSeconds();
        int least = Math.clamp(seconds, 1, Integer.MAX_VALUE);
        int highest = 0;
        for (Manifest.Partition partition : manifest.partitions()) {
            Path folder = target.partition(TopicId.parse(partition.topicId()), partition.partition());
            highest = Math.max(highest, RestoredPartition.beginEpoch(disk, folder, partition.end(), least));
        }
        return highest;
    }

    /** Makes the file of claims longer. The position of a claim decides its ids, so later claims get higher ids. */
    private void skipProducerIds() throws IOException {
        disk.createFolders(target.producerIds().getParent());
        byte[] skipped = new byte[CLAIMS_SKIPPED * CLAIM];
        try (DiskFile claims = disk.openForAppend(target.producerIds())) {
            claims.append(skipped, 0, skipped.length);
            claims.sync();
        }
        disk.syncFolder(target.producerIds().getParent());
    }

    private void syncFolders(Set<Path> folders) throws IOException {
        Set<Path> all = new HashSet<>();
        for (Path folder : folders) {
            for (Path above = folder; above.startsWith(target.root()); above = above.getParent()) {
                all.add(above);
            }
        }
        for (Path folder : all) {
            disk.syncFolder(folder);
        }
        disk.syncFolder(target.root());
    }

    private void count(long restored) {
        bytes += restored;
        progress.accept(bytes);
    }
}
