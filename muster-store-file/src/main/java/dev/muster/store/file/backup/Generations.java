package dev.muster.store.file.backup;

import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.disk.DiskFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The folder that backups are written to. Each backup is a folder of its own, {@code backup-<number>}, which appears by
 * one rename when it is complete and durable, and leaves by one rename before it is deleted.
 */
final class Generations {
    private static final String BACKUP = "backup-";
    private static final String DRAFT = "draft-";
    private static final String EXPIRED = "expired-";
    private static final String LOCK = "backup.lock";
    private static final String LOST_FOUND = "lost+found";

    private final Disk disk;
    private final Path folder;

    Generations(Disk disk, Path folder) {
        this.disk = disk;
        this.folder = folder;
    }

    /** The backup with the highest number that a name stands for: the folder of backups, or one backup. */
    static Path newestOf(Disk disk, Path from) throws IOException {
        if (disk.exists(from.resolve(Manifest.FILE))) {
            return from;
        }
        Generations generations = new Generations(disk, from);
        return generations.newest().map(generations::path).orElseThrow(() -> new BackupNotFoundException(from));
    }

    /** Makes the folder, or refuses one that holds anything else. */
    void prepare() throws IOException {
        if (!disk.exists(folder)) {
            disk.createFolders(folder);
            syncAncestors(disk, folder);
        }
        Optional<String> foreign = disk.list(folder).stream()
                .filter(name -> !isOurs(name))
                .sorted()
                .findFirst();
        if (foreign.isPresent()) {
            throw new UnsupportedStoreException(
                    folder + " holds \"" + foreign.get() + "\", which is not a backup",
                    "name a new or an empty directory, or one that muster backup made");
        }
    }

    /** Makes the name of a folder durable, and those of the folders that were made for it. */
    static void syncAncestors(Disk disk, Path folder) throws IOException {
        for (Path above = folder.getParent(); above != null; above = above.getParent()) {
            try {
                disk.syncFolder(above);
            } catch (AccessDeniedException e) {
                // A folder that this process may not open is none that it has made.
                assert disk.exists(folder) : e;
            }
        }
    }

    private static boolean isOurs(String name) {
        return number(name).isPresent()
                || name.startsWith(DRAFT)
                || name.startsWith(EXPIRED)
                || name.equals(LOCK)
                || name.equals(LOST_FOUND);
    }

    /** Held while a backup is made. The system releases it when its process ends. */
    DiskFile lock() throws IOException {
        DiskFile lock = disk.openForAppend(folder.resolve(LOCK));
        boolean had = false;
        try {
            had = lock.tryLock();
        } finally {
            if (!had) {
                lock.close();
            }
        }
        if (!had) {
            throw new UnsupportedStoreException(
                    "another process makes a backup in " + folder + " now", "wait until that backup is done");
        }
        return lock;
    }

    private static Optional<Integer> number(String name) {
        if (!name.startsWith(BACKUP)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Integer.parseUnsignedInt(name.substring(BACKUP.length())));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The numbers of all backups, oldest first. */
    List<Integer> all() throws IOException {
        List<Integer> numbers = new ArrayList<>();
        for (String name : disk.list(folder)) {
            number(name).ifPresent(numbers::add);
        }
        numbers.sort(null);
        return numbers;
    }

    Optional<Integer> newest() throws IOException {
        List<Integer> all = all();
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast());
    }

    Path path(int number) {
        return folder.resolve(BACKUP + "%06d".formatted(number));
    }

    Path draft(int number) {
        return folder.resolve(DRAFT + "%06d".formatted(number));
    }

    Manifest manifest(Path backup) throws IOException {
        Path file = backup.resolve(Manifest.FILE);
        return Manifest.parse(file, disk.readAll(file));
    }

    /** The draft, complete and durable, becomes the newest backup. */
    void settle(int number) throws IOException {
        disk.rename(draft(number), path(number));
        disk.syncFolder(folder);
    }

    /** Deletes what backups that did not come to their end have left. */
    void sweep() throws IOException {
        for (String name : disk.list(folder)) {
            if (name.startsWith(DRAFT) || name.startsWith(EXPIRED)) {
                disk.deleteTree(folder.resolve(name));
            }
        }
    }

    /** Deletes the oldest backups, but for the newest ones. */
    void prune(int keep) throws IOException {
        List<Integer> all = all();
        for (int number : all.subList(0, Math.max(0, all.size() - keep))) {
            disk.rename(path(number), folder.resolve(EXPIRED + number));
        }
        disk.syncFolder(folder);
        sweep();
    }
}
