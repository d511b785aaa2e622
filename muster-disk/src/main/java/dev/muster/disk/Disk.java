package dev.muster.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A local file system, as far as the store uses one. Names are atomic, not durable: a file that was created, linked,
 * renamed or deleted is so after a power cut only once its folder was synced.
 *
 * <p>A full disk is a {@link NoRoomException}. Calls are not interruptible: an interrupted caller loses no file.
 */
public interface Disk {
    /** Opens for reading. {@link java.nio.file.NoSuchFileException} when it is not there. */
    DiskFile open(Path file) throws IOException;

    /** Opens for reading and appending, and creates the file when it is not there, with the mode of its folder. */
    DiskFile openForAppend(Path file) throws IOException;

    /** Opens for sending. {@link java.nio.file.NoSuchFileException} when it is not there. */
    default FileSource source(Path file) throws IOException {
        return new ReadingSource(open(file));
    }

    /** The whole content of a small file. */
    byte[] readAll(Path file) throws IOException;

    /**
     * A page of memory that all processes which open this file share. Created (blocks written, so that a full disk
     * cannot fault later) with the given content when it is not there: of several that try, one wins, and all get its
     * page. With {@code initial == null} the page is opened as it is, read-only where it must be.
     */
    Page page(Path file, byte[] initial) throws IOException;

    /** The page as it is, for those who must not write to it even where they could. */
    default Page pageForReading(Path file) throws IOException {
        return page(file, null);
    }

    /**
     * Whether somebody, of any process, holds the lock on a file ({@link DiskFile#tryLock}). Whoever asks is in
     * nobody's way. {@link java.nio.file.NoSuchFileException} when the file is not there.
     */
    boolean isLocked(Path file) throws IOException;

    /**
     * A bell of this process, made at a place where nothing is and held until it is closed, or the process dies: then
     * it rings for those who watch it ({@link #bells}). Does nothing where the system has no such thing.
     */
    Bell bell(Path file) throws IOException;

    /** A way to hear the bells of other processes. */
    Bells bells() throws IOException;

    boolean exists(Path file);

    /**
     * The file or folder that has this name now. One look, which follows no other call.
     * {@link java.nio.file.NoSuchFileException} when there is none.
     */
    FileIdentity identity(Path path) throws IOException;

    /** Whether this is a folder and not a file. For what people are told: the disks of tests need not know. */
    default boolean isFolder(Path path) {
        return exists(path);
    }

    /** The size of a file in bytes. */
    long size(Path file) throws IOException;

    /**
     * When a file was written last, in milliseconds since 1970, by the clock of the file system; empty where that is
     * not known.
     */
    default OptionalLong lastModifiedMs(Path file) throws IOException {
        return OptionalLong.empty();
    }

    /**
     * The time of the file system now, in milliseconds since 1970: that of a file which is made for this and deleted;
     * empty where that is not known.
     */
    default OptionalLong timeOfNewFile(Path file) throws IOException {
        return OptionalLong.empty();
    }

    /** Plain names, in no order; empty when the folder is not there. */
    List<String> list(Path folder) throws IOException;

    /** Makes a folder and its missing parents, with the mode of the nearest one that exists, less the umask. */
    void createFolders(Path folder) throws IOException;

    /**
     * Makes the data directory and its missing parents. The umask of the process decides their modes; what is made
     * below later follows the directory.
     */
    default void createRoot(Path folder) throws IOException {
        createFolders(folder);
    }

    /** Takes rights away from a folder: each that another folder does not grant. */
    default void restrict(Path folder, Path like) throws IOException {}

    /** The absolute path without symbolic links, as far as it is there. */
    default Path real(Path path) throws IOException {
        return path.toAbsolutePath().normalize();
    }

    /** Replaces {@code to} when that is a file; fails when it is a folder that is not empty. */
    void rename(Path from, Path to) throws IOException;

    /** A second name for a file. Fails with {@link java.nio.file.FileAlreadyExistsException} when the name is taken. */
    void link(Path existing, Path name) throws IOException;

    /** Deletes a file or an empty folder; not an error when it is not there. */
    void delete(Path file) throws IOException;

    /** Deletes a file, or a folder with all that is in it; not an error when it is not there. */
    default void deleteTree(Path path) throws IOException {
        for (String name : list(path)) {
            deleteTree(path.resolve(name));
        }
        delete(path);
    }

    /** Writes a small new file and makes its content durable; its name is so when its folder was synced. */
    default void writeDurably(Path file, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (DiskFile writing = openForAppend(file)) {
            writing.append(bytes, 0, bytes.length);
            writing.sync();
        }
    }

    /** Makes the names in this folder durable. */
    void syncFolder(Path folder) throws IOException;

    boolean writable(Path folder);

    /** The room on the file system of this folder. */
    default DiskSpace space(Path folder) {
        return DiskSpace.UNKNOWN;
    }

    /** What else there is of the machine this disk is in. */
    default Machine machine() {
        return Machine.THIS;
    }

    /** Why a store must not lie in this folder; empty when it may. */
    default Optional<String> objection(Path folder) {
        return Optional.empty();
    }
}
