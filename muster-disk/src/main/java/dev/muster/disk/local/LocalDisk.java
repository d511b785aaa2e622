package dev.muster.disk.local;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.DiskSpace;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.NoRoomException;
import dev.muster.disk.Page;
import dev.muster.disk.PageStamp;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** The common part of both real disks: names, folders, modes and mapped pages, in plain Java. */
abstract class LocalDisk implements Disk {
    private static final int PERMISSION_BITS = 0777;
    private static final int FILE_BITS = 0666;

    private final MappedPage.Waiting waiting;

    LocalDisk(MappedPage.Waiting waiting) {
        this.waiting = waiting;
    }

    @Override
    public byte[] readAll(Path file) throws IOException {
        return Uninterrupted.call(() -> Files.readAllBytes(file));
    }

    @Override
    public Page page(Path file, byte[] initial) throws IOException {
        if (initial != null && !Files.exists(file)) {
            createPage(file, initial);
        }
        return map(file, initial != null || Files.isWritable(file));
    }

    @Override
    public Page pageForReading(Path file) throws IOException {
        return map(file, false);
    }

    /**
     * Maps a page. If the path has the same identity before and after the mapping, the mapped file has that identity;
     * else it maps again.
     */
    private Page map(Path file, boolean writable) throws IOException {
        for (FileIdentity before = identity(file); ; ) {
            Page mapped = MappedPage.map(file, before, writable, waiting);
            FileIdentity after = identity(file);
            if (after.equals(before)) {
                return mapped;
            }
            before = after;
        }
    }

    private void createPage(Path file, byte[] initial) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + ".tmp");
        try {
            try (DiskFile writing = openForAppend(draft)) {
                byte[] stamped = PageStamp.stamped(initial, writing.identity());
                writing.append(stamped, 0, stamped.length);
            }
            settle(draft, file);
        } catch (FileAlreadyExistsException e) {
            // Another process created the page first, and that page is used.
            Files.deleteIfExists(draft);
        } catch (IOException e) {
            Files.deleteIfExists(draft);
            throw e;
        }
    }

    /**
     * Gives a finished draft its name.
     *
     * @throws FileAlreadyExistsException if another file has the name
     */
    void settle(Path draft, Path name) throws IOException {
        link(draft, name);
        Files.deleteIfExists(draft);
    }

    @Override
    public boolean exists(Path file) {
        return Files.exists(file);
    }

    @Override
    public FileIdentity identity(Path path) throws IOException {
        Map<String, Object> found = Files.readAttributes(path, "unix:dev,ino,creationTime");
        FileTime born = (FileTime) found.get("creationTime");
        return new FileIdentity((long) found.get("dev"), (long) found.get("ino"), born.to(TimeUnit.NANOSECONDS));
    }

    @Override
    public OptionalLong lastModifiedMs(Path file) throws IOException {
        return OptionalLong.of(Files.getLastModifiedTime(file).toMillis());
    }

    @Override
    public OptionalLong timeOfNewFile(Path file) throws IOException {
        delete(file);
        openForAppend(file).close();
        try {
            return lastModifiedMs(file);
        } finally {
            delete(file);
        }
    }

    @Override
    public boolean isFolder(Path path) {
        return Files.isDirectory(path);
    }

    @Override
    public long size(Path file) throws IOException {
        return Files.size(file);
    }

    @Override
    public List<String> list(Path folder) throws IOException {
        List<String> names = new ArrayList<>();
        try (var entries = Files.newDirectoryStream(folder)) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    @Override
    public void createFolders(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path parent = folder.toAbsolutePath().getParent();
        createFolders(parent);
        try {
            Files.createDirectory(folder);
            int mode = mode(parent) < 0 ? -1 : Umask.inherited(mode(parent));
            if (mode >= 0 && (mode(folder) & PERMISSION_BITS) != (mode & PERMISSION_BITS)) {
                Files.setAttribute(folder, "unix:mode", mode);
            }
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        } catch (IOException e) {
            throw NoRoomException.orSame(e);
        }
    }

    @Override
    public void createRoot(Path folder) throws IOException {
        try {
            Files.createDirectories(folder);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        } catch (IOException e) {
            throw NoRoomException.orSame(e);
        }
    }

    @Override
    public void restrict(Path folder, Path like) throws IOException {
        int before = mode(folder);
        int granted = mode(like);
        int after = before & (granted | ~PERMISSION_BITS);
        if (before >= 0 && granted >= 0 && after != before) {
            Files.setAttribute(folder, "unix:mode", after);
        }
    }

    @Override
    public Path real(Path path) throws IOException {
        Path absolute = path.toAbsolutePath().normalize();
        for (Path there = absolute; there != null; there = there.getParent()) {
            if (Files.exists(there)) {
                return there.toRealPath().resolve(there.relativize(absolute)).normalize();
            }
        }
        return absolute;
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("rename " + from + " to " + to + ": not on one file system", e);
        } catch (IOException e) {
            // A folder may need another block for one more name, and the disk may be full.
            throw NoRoomException.orSame(e);
        }
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        try {
            Files.createLink(name, existing);
        } catch (IOException e) {
            throw NoRoomException.orSame(e);
        }
    }

    @Override
    public void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
    }

    @Override
    public void syncFolder(Path folder) throws IOException {
        Uninterrupted.call(() -> {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
            return null;
        });
    }

    @Override
    public boolean writable(Path folder) {
        return Files.isWritable(folder);
    }

    @Override
    public DiskSpace space(Path folder) {
        File asked = folder.toFile();
        long total = asked.getTotalSpace();
        // 0: the size is not known, or it is a tmpfs without a limit.
        return total == 0 ? DiskSpace.UNKNOWN : new DiskSpace(asked.getUsableSpace(), total);
    }

    @Override
    public Optional<String> objection(Path folder) {
        return FileSystemProbe.objection(folder);
    }

    /** The permission bits that a new file at this path gets; -1 if the file system has no permission bits. */
    static int fileMode(Path file) {
        int folder = mode(file.toAbsolutePath().getParent());
        return folder < 0 ? -1 : Umask.inherited(folder) & FILE_BITS;
    }

    static int mode(Path path) {
        try {
            return (int) Files.getAttribute(path, "unix:mode") & 07777;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return -1;
        }
    }
}
