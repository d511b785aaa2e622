package dev.muster.store.file.backup;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.store.StoreIoException;
import dev.muster.store.UnsupportedStoreException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The folder that backups are written to. Each backup is a folder of its own, {@code backup-<number>}. It appears by
 * one rename when it is complete and durable, and is renamed before it is deleted.
 */
final class Generations {
    private static final String BACKUP = "backup-";
    private static final String DRAFT = "draft-";
    private static final String EXPIRED = "expired-";
    private static final String LOCK = "backup.lock";
    private static final String LOST_FOUND = "lost+found";
    private static final String DIGITS = "%06d";
    /** The pattern of a folder name. A number has six digits, or more if six are too few. */
    private static final Pattern NUMBERED =
            Pattern.compile("(" + BACKUP + "|" + DRAFT + "|" + EXPIRED + ")(\\d{6}|[1-9]\\d{6,8})");

    private final Disk disk;
    private final Path folder;

    Generations(Disk disk, Path folder) {
        this.disk = disk;
        this.folder = folder;
    }

    /** The newest backup of a path, which is the folder of backups or one backup. */
    static Path newestOf(Disk disk, Path from) throws IOException {
        if (disk.exists(from.resolve(Manifest.FILE))) {
            return from;
        }
        Generations generations = new Generations(disk, from);
        return generations.newest().map(generations::path).orElseThrow(() -> new BackupNotFoundException(from));
    }

    /** True if one of two folders is inside the other, also by a symbolic link, or if they are the same. */
    static boolean overlap(Disk disk, Path one, Path other) throws IOException {
        Path first = disk.real(one);
        Path second = disk.real(other);
        return first.startsWith(second) || second.startsWith(first);
    }

    /**
     * Creates the folder, or refuses a folder with other content.
     *
     * @param source the folder that limits the rights on a new folder: the new one grants no right that this one does
     *     not grant
     */
    void prepare(Path source) throws IOException {
        if (!disk.exists(folder)) {
            disk.createRoot(folder);
            disk.restrict(folder, source);
            syncAncestors(disk, folder);
        } else if (!disk.isFolder(folder)) {
            throw new UnsupportedStoreException(folder + " is a file", "name a new or an empty directory");
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

    /** The message of an error. The error of a missing file has only the file's name as its message. */
    static String reason(IOException e) {
        return e instanceof NoSuchFileException missing ? missing.getFile() + " is missing" : e.getMessage();
    }

    /** Makes the name of a folder durable, and the names of the folders that were created for it. */
    static void syncAncestors(Disk disk, Path folder) throws IOException {
        for (Path above = folder.getParent(); above != null; above = above.getParent()) {
            try {
                disk.syncFolder(above);
            } catch (AccessDeniedException e) {
                // This process has not created a folder that it may not open.
                assert disk.exists(folder) : e;
            }
        }
    }

    /**
     * True if the name is that of a backup, a draft or an expired backup. A backup must have its manifest, and the
     * other names must match to the last digit.
     */
    private boolean isOurs(String name) {
        return number(name)
                        .map(number -> disk.exists(path(number).resolve(Manifest.FILE)))
                        .orElse(false)
                || isLeftOver(name)
                || name.equals(LOCK)
                || name.equals(LOST_FOUND);
    }

    /** Takes the lock for making a backup. The kernel frees it when the process ends. */
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
        return NUMBERED.matcher(name).matches() && name.startsWith(BACKUP)
                ? Optional.of(Integer.parseInt(name.substring(BACKUP.length())))
                : Optional.empty();
    }

    /** True if an unfinished backup has left this folder. */
    private static boolean isLeftOver(String name) {
        return NUMBERED.matcher(name).matches() && !name.startsWith(BACKUP);
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
        return folder.resolve(BACKUP + DIGITS.formatted(number));
    }

    Path draft(int number) {
        return folder.resolve(DRAFT + DIGITS.formatted(number));
    }

    Manifest manifest(Path backup) throws IOException {
        Path file = backup.resolve(Manifest.FILE);
        return Manifest.parse(file, disk.readAll(file));
    }

    /** Makes the draft, which is complete and durable, the newest backup. */
    void settle(int number) throws IOException {
        disk.rename(draft(number), path(number));
        disk.syncFolder(folder);
    }

    /** Deletes the folders that unfinished backups have left. */
    void deleteUnfinished() throws IOException {
        for (String name : disk.list(folder)) {
            if (isLeftOver(name)) {
                disk.deleteTree(folder.resolve(name));
            }
        }
    }

    /**
     * Deletes the oldest backups. It keeps the newest ones, and the newest one without damage.
     *
     * @return the number of deleted backups
     */
    int prune(int keep) throws IOException {
        List<Integer> all = all();
        List<Integer> expired = new ArrayList<>(all.subList(0, Math.max(0, all.size() - keep)));
        if (!expired.isEmpty()) {
            expired.removeAll(newestWithoutDamage(all).stream().toList());
        }
        for (int number : expired) {
            disk.rename(path(number), folder.resolve(EXPIRED + DIGITS.formatted(number)));
        }
        disk.syncFolder(folder);
        deleteUnfinished();
        return expired.size();
    }

    private Optional<Integer> newestWithoutDamage(List<Integer> numbers) throws IOException {
        for (int number : numbers.reversed()) {
            try {
                if (manifest(path(number)).damage().isEmpty()) {
                    return Optional.of(number);
                }
            } catch (StoreIoException e) {
                // The manifest is damaged. An earlier backup may be whole.
                assert disk.exists(path(number)) : e;
            }
        }
        return Optional.empty();
    }
}
