package dev.muster.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The operations of a local file system that the store uses. Changes of names are atomic and not durable: a file that
 * was created, linked, renamed or deleted may be as before after a power cut, until its folder was synced.
 *
 * <p>On a full disk, calls throw {@link NoRoomException}. Calls are not interruptible: an interrupt closes no file.
 */
public interface Disk {
    /**
     * Opens a file for reading.
     *
     * @throws java.nio.file.NoSuchFileException if the file does not exist
     */
    DiskFile open(Path file) throws IOException;

    /** Opens a file for reading and appending. A missing file is created with the mode of its folder. */
    DiskFile openForAppend(Path file) throws IOException;

    /**
     * Opens a file for sending.
     *
     * @throws java.nio.file.NoSuchFileException if the file does not exist
     */
    default FileSource source(Path file) throws IOException {
        return new ReadingSource(open(file));
    }

    /** The whole content of a small file. */
    byte[] readAll(Path file) throws IOException;

    /**
     * A page of memory that is shared by all processes that open this file. A missing file is created with the given
     * content. Its blocks are written, so that an access cannot fault later because the disk is full. Of several
     * processes that create it one wins, and all get its page.
     *
     * @param initial the first content of a new page; null to open an existing page, read-only if the file may not be
     *     written
     */
    Page page(Path file, byte[] initial) throws IOException;

    /** The existing page, mapped read-only even if the file may be written. */
    default Page pageForReading(Path file) throws IOException {
        return page(file, null);
    }

    /**
     * True if an open file of any process holds the lock on a file ({@link DiskFile#tryLock}). The call itself does not
     * keep other processes from taking the lock.
     *
     * @throws java.nio.file.NoSuchFileException if the file does not exist
     */
    boolean isLocked(Path file) throws IOException;

    /**
     * Creates a bell of this process. When it is closed or the process dies, it rings for the processes that watch it
     * ({@link #bells}). Does nothing on a system without bells.
     *
     * @param file the path of the bell, where no file exists
     */
    Bell bell(Path file) throws IOException;

    /** A watch over the bells of other processes. */
    Bells bells() throws IOException;

    boolean exists(Path file);

    /**
     * The file or folder that has this name now, by one system call.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     */
    FileIdentity identity(Path path) throws IOException;

    /**
     * True if this is a folder and not a file. Only messages for people may depend on it, because the disks of tests do
     * not tell files from folders.
     */
    default boolean isFolder(Path path) {
        return exists(path);
    }

    /** The size of a file in bytes. */
    long size(Path file) throws IOException;

    /**
     * The time of the last write to a file, in milliseconds since 1970 by the clock of the file system; empty if it is
     * not known.
     */
    default OptionalLong lastModifiedMs(Path file) throws IOException {
        return OptionalLong.empty();
    }

    /**
     * The current time of the file system, in milliseconds since 1970; empty if it is not known. It is the time of a
     * new file.
     *
     * @param file the path of the file that is created for this and deleted
     */
    default OptionalLong timeOfNewFile(Path file) throws IOException {
        return OptionalLong.empty();
    }

    /** The names of all files and folders in a folder, in no order; empty if the folder does not exist. */
    List<String> list(Path folder) throws IOException;

    /** Creates a folder and its missing parents, with the mode of the nearest existing parent less the umask. */
    void createFolders(Path folder) throws IOException;

    /**
     * Creates the data directory and its missing parents. The umask of the process decides their modes. Files and
     * folders that are created below it later get their mode from the directory.
     */
    default void createRoot(Path folder) throws IOException {
        createFolders(folder);
    }

    /** Removes every right on {@code folder} that the folder {@code like} does not grant. */
    default void restrict(Path folder, Path like) throws IOException {}

    /** The absolute path. Symbolic links in its existing part are resolved. */
    default Path real(Path path) throws IOException {
        return path.toAbsolutePath().normalize();
    }

    /**
     * Renames a file or folder. An existing file {@code to} is replaced; a folder {@code to} that is not empty makes
     * the call fail.
     */
    void rename(Path from, Path to) throws IOException;

    /**
     * Gives a file a second name.
     *
     * @throws java.nio.file.FileAlreadyExistsException if the name is taken
     */
    void link(Path existing, Path name) throws IOException;

    /** Deletes a file or an empty folder. It is not an error if it does not exist. */
    void delete(Path file) throws IOException;

    /** Deletes a file, or a folder with its content. It is not an error if it does not exist. */
    default void deleteTree(Path path) throws IOException {
        for (String name : list(path)) {
            deleteTree(path.resolve(name));
        }
        delete(path);
    }

    /** Writes a small new file and makes its content durable. Its name is durable once its folder was synced. */
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

    /** The machine of this disk: its clock, its threads and its ids. */
    default Machine machine() {
        return Machine.THIS;
    }

    /** The reason why a store must not be in this folder; empty if it may be. */
    default Optional<String> objection(Path folder) {
        return Optional.empty();
    }
}
