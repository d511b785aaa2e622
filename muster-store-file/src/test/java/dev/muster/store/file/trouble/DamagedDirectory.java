package dev.muster.store.file.trouble;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.PageStamp;
import dev.muster.store.LogStore;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.Stores;
import dev.muster.store.file.check.CheckReport;
import dev.muster.store.file.check.DirectoryCheck;
import dev.muster.testkit.disk.MemoryDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/** A directory of given files. Stores open it one after the other in the boot that wrote the files. */
final class DamagedDirectory {
    private final Disk disk;
    private final Path root;
    private final UUID boot;
    private final SmallLog.Files files;

    private DamagedDirectory(Disk disk, Path root, UUID boot, SmallLog.Files files) {
        this.disk = disk;
        this.root = root;
        this.boot = boot;
        this.files = files;
    }

    static DamagedDirectory simulated(SmallLog.Files files) {
        return new DamagedDirectory(new MemoryDisk().process(), Path.of("/data"), SmallLog.BOOT, files).fill();
    }

    static DamagedDirectory real(SmallLog.Files files, Path root) {
        Disk disk = FileStoreOptions.defaults().disk();
        return new DamagedDirectory(disk, root, SmallLog.BOOT, files).fill();
    }

    private DamagedDirectory fill() {
        try {
            for (Map.Entry<Path, byte[]> entry : files.all().entrySet()) {
                Path file = root.resolve(entry.getKey().toString());
                disk.createFolders(file.getParent());
                try (DiskFile writing = disk.openForAppend(file)) {
                    byte[] content = stamped(file, entry.getValue(), writing.identity());
                    writing.append(content, 0, content.length);
                }
            }
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The stamps of pages are corrected, because pages that were not created in their own files would be refused. */
    private static byte[] stamped(Path file, byte[] content, FileIdentity own) {
        boolean page = content.length == PageStamp.PAGE_BYTES
                && file.getFileName().toString().startsWith("control-");
        boolean stamped = page && ByteBuffer.wrap(content).getLong(PageStamp.AT) != 0;
        return stamped ? PageStamp.stamped(content, own) : content;
    }

    /** The same directory after the machine was started again. */
    DamagedDirectory rebooted() {
        return new DamagedDirectory(disk, root, UUID.randomUUID(), files);
    }

    LogStore open() {
        return FileStore.open(root, Stores.options(disk, boot).withAllowAnyFileSystem(true));
    }

    CheckReport check() {
        return DirectoryCheck.run(root, Stores.options(disk, boot), false, _ -> {});
    }

    byte[] read(String name) {
        try {
            return disk.readAll(root.resolve(files.path(name).toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
