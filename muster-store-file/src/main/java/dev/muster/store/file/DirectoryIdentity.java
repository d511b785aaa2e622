package dev.muster.store.file;

import dev.muster.disk.Disk;
import dev.muster.disk.FileIdentity;
import dev.muster.store.LogReplacedException;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.layout.StoreFormat;
import dev.muster.store.file.log.DiskErrors;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.UUID;

/**
 * The directory that was opened, and the check whether another one has its name now. A directory is mostly replaced by
 * a restored one. Safe for many threads.
 */
final class DirectoryIdentity {
    private static final System.Logger LOG = System.getLogger(DirectoryIdentity.class.getName());

    private final Disk disk;
    private final Layout layout;
    private final UUID id;
    private final StoreAccess access;
    private final Replacement replacement;

    /** The file that was {@code muster.json} at the last check. */
    private FileIdentity musterJson;

    /** The work after a directory of the same store took the place of the opened one. */
    interface Replacement {
        void accept() throws IOException;
    }

    /** @param id the cluster id of the opened directory */
    DirectoryIdentity(Disk disk, Layout layout, UUID id, StoreAccess access, Replacement replacement)
            throws IOException {
        this.disk = disk;
        this.layout = layout;
        this.id = id;
        this.access = access;
        this.replacement = replacement;
        this.musterJson = disk.identity(layout.musterJson());
    }

    /**
     * Checks whether {@code muster.json} is still the file that it was. If it is another file, the directory was
     * replaced. Then topics that were deleted in the directory before may exist again, and the locks of this process
     * are on files without a name.
     */
    synchronized void checkReplaced() throws IOException {
        FileIdentity now;
        try {
            now = disk.identity(layout.musterJson());
        } catch (NoSuchFileException e) {
            // The file may be missing for a moment. If the directory is gone, its partitions find out.
            return;
        }
        if (now.equals(musterJson)) {
            return;
        }
        try {
            checkSameStore();
        } catch (LogReplacedException e) {
            LOG.log(System.Logger.Level.ERROR, e.getMessage());
            access.refuse(e);
            return;
        }
        replacement.accept();
        musterJson = now;
    }

    /** Throws if the directory is gone, or another store is in its place. */
    void checkSameStore() {
        UUID there;
        try {
            there = StoreFormat.clusterId(disk, layout);
        } catch (NoSuchFileException e) {
            throw new LogReplacedException(e.getFile() + " was removed");
        } catch (IOException e) {
            throw DiskErrors.of("read " + layout.musterJson(), e);
        }
        if (!there.equals(id)) {
            throw new LogReplacedException(layout.root() + " was replaced by another data directory (cluster id "
                    + there + " instead of " + id + ")");
        }
    }
}
