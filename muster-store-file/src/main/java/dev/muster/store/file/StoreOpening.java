package dev.muster.store.file;

import dev.muster.disk.Disk;
import dev.muster.store.StoreNotFoundException;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.layout.StoreFormat;
import dev.muster.store.file.log.DiskErrors;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * A directory that was found or created, checked, and can be opened as a store.
 *
 * @param id the cluster id of the directory
 */
record StoreOpening(Layout layout, UUID id, boolean readOnly) {
    /** See {@link FileStore#open}. */
    static FileStore open(Path directory, FileStoreOptions options) {
        Layout layout = new Layout(directory.toAbsolutePath().normalize());
        Disk disk = options.disk();
        try {
            return FileStore.start(prepare(directory, layout, options), options);
        } catch (IOException e) {
            throw noStore(disk, directory, layout.root(), e);
        }
    }

    /** @param directory the directory as the caller named it, for messages */
    private static StoreOpening prepare(Path directory, Layout layout, FileStoreOptions options) throws IOException {
        Disk disk = options.disk();
        if (!disk.exists(layout.root())) {
            if (!options.createMissing() || options.readOnly()) {
                throw new StoreNotFoundException(directory.toString());
            }
            disk.createRoot(layout.root());
        }
        if (!options.allowAnyFileSystem()) {
            disk.objection(layout.root()).ifPresent(objection -> {
                throw new UnsupportedStoreException(
                        "cannot keep data in " + directory + ": " + objection,
                        "use a local disk (ext4, xfs, btrfs, zfs, tmpfs), or insist with --allow-any-filesystem");
            });
        }
        boolean readOnly = options.readOnly() || !disk.writable(layout.root());
        StoreFormat format =
                StoreFormat.openOrCreate(disk, layout, options.runtime(), readOnly, options.createMissing());
        if (!readOnly) {
            disk.createFolders(layout.topics());
            disk.createFolders(layout.logs());
            disk.createFolders(layout.drafts());
            disk.createFolders(layout.trash());
            disk.syncFolder(layout.root());
            format.copyIfMissing(disk, layout);
        }
        return new StoreOpening(layout, format.clusterId(), readOnly);
    }

    private static RuntimeException noStore(Disk disk, Path directory, Path root, IOException e) {
        Optional<String> objection = fileInTheWay(disk, root).map(file -> file + " is a file");
        if (objection.isEmpty() && e instanceof NoSuchFileException && !disk.exists(root)) {
            objection = Optional.of("no directory can be made there");
        }
        return objection
                .<RuntimeException>map(why -> new UnsupportedStoreException(
                        "cannot keep data in " + directory + ": " + why,
                        "name a directory, or a place where one can be made"))
                .orElseGet(() -> DiskErrors.of("open " + directory, e));
    }

    private static Optional<Path> fileInTheWay(Disk disk, Path folder) {
        Path there = folder;
        while (there.getParent() != null && !disk.exists(there)) {
            there = there.getParent();
        }
        return disk.isFolder(there) ? Optional.empty() : Optional.of(there);
    }
}
