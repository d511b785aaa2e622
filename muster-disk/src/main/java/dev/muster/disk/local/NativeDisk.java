package dev.muster.disk.local;

import dev.muster.disk.Bell;
import dev.muster.disk.Bells;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.FileSource;
import dev.muster.disk.NoRoomException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/** The disk by system calls: exact positions of appends, locks bound to the open file, futexes. */
public final class NativeDisk extends LocalDisk {
    private static final System.Logger LOG = System.getLogger(NativeDisk.class.getName());

    private NativeDisk() {
        super(new FutexWaiting());
    }

    /** The best disk for this JVM. Without native access it is {@link ChannelDisk}, which is slower but as safe. */
    public static Disk orFallback() {
        return Holder.DISK;
    }

    private static final class Holder {
        static final Disk DISK = choose();

        private static Disk choose() {
            if (available()) {
                return new NativeDisk();
            }
            Module ours = NativeDisk.class.getModule();
            LOG.log(
                    System.Logger.Level.INFO,
                    "no native access: file locks and wake-ups are slower; start Java with --enable-native-access="
                            + (ours.isNamed() ? ours.getName() : "ALL-UNNAMED"));
            return new ChannelDisk();
        }
    }

    private static boolean available() {
        if (!System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux")) {
            return false;
        }
        try (CallMemory scratch = CallMemory.take()) {
            return LinuxCalls.errno(scratch.errno) >= 0;
        } catch (IllegalCallerException | UnsupportedOperationException | LinkageError e) {
            return false;
        }
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new NativeFile(file, open(file, LinuxCalls.O_RDONLY | LinuxCalls.O_CLOEXEC, 0));
    }

    /**
     * Opens the file by a FileChannel. Closing that channel does not release locks of this class, because these belong
     * to the open file and not to the process.
     */
    @Override
    public FileSource source(Path file) throws IOException {
        return new ChannelSource(Uninterrupted.call(() -> FileChannel.open(file, StandardOpenOption.READ)));
    }

    @Override
    public DiskFile openForAppend(Path file) throws IOException {
        int flags = LinuxCalls.O_RDWR | LinuxCalls.O_APPEND | LinuxCalls.O_CLOEXEC;
        while (true) {
            try {
                return new NativeFile(file, open(file, flags, 0));
            } catch (NoSuchFileException e) {
                int mode = fileMode(file);
                try {
                    int fd = open(file, flags | LinuxCalls.O_CREAT | LinuxCalls.O_EXCL, mode < 0 ? 0644 : mode);
                    NativeFile made = new NativeFile(file, fd);
                    // The mode is changed only if it must be, because that is one more change of the file system.
                    if (mode >= 0 && Umask.removesFrom(mode)) {
                        made.changeMode(mode);
                    }
                    return made;
                } catch (FileAlreadyExistsException raced) {
                    // Another process created the file between the two calls: open that one.
                    assert raced != null;
                }
            }
        }
    }

    static int open(Path file, int flags, int mode) throws IOException {
        try (Arena arena = Arena.ofConfined();
                CallMemory scratch = CallMemory.take()) {
            MemorySegment path = arena.allocateFrom(file.toString());
            int fd = LinuxCalls.open(scratch.errno, path, flags, mode);
            if (fd < 0) {
                throw failure("open", file, LinuxCalls.errno(scratch.errno));
            }
            return fd;
        }
    }

    @Override
    public FileIdentity identity(Path path) throws IOException {
        return identity(path, LinuxCalls.AT_FDCWD, path.toAbsolutePath().toString());
    }

    /** @param name the path of the file; empty for the file of the descriptor */
    static FileIdentity identity(Path path, long fd, String name) throws IOException {
        try (Arena arena = Arena.ofConfined();
                CallMemory scratch = CallMemory.take()) {
            MemorySegment found = arena.allocate(LinuxCalls.STATX_BYTES, Long.BYTES);
            if (!LinuxCalls.statx(scratch.errno, fd, arena.allocateFrom(name), found)) {
                throw failure("look at", path, LinuxCalls.errno(scratch.errno));
            }
            return LinuxCalls.identity(found);
        }
    }

    @Override
    public void syncFolder(Path folder) throws IOException {
        int fd = open(folder, LinuxCalls.O_RDONLY | LinuxCalls.O_CLOEXEC, 0);
        try (CallMemory scratch = CallMemory.take()) {
            int result = LinuxCalls.fsync(scratch.errno, fd);
            int errno = LinuxCalls.errno(scratch.errno);
            int closed = LinuxCalls.close(scratch.errno, fd);
            if (result != 0 || closed != 0) {
                throw failure("sync", folder, errno);
            }
        }
    }

    @Override
    public boolean isLocked(Path file) throws IOException {
        try (NativeFile opened = new NativeFile(file, open(file, LinuxCalls.O_RDONLY | LinuxCalls.O_CLOEXEC, 0))) {
            return opened.isLocked();
        }
    }

    @Override
    public Bell bell(Path file) throws IOException {
        int mode = fileMode(file);
        try (Arena arena = Arena.ofConfined();
                CallMemory scratch = CallMemory.take()) {
            MemorySegment path = arena.allocateFrom(file.toString());
            if (LinuxCalls.mkfifo(scratch.errno, path, mode < 0 ? 0644 : mode) != 0) {
                throw failure("make", file, LinuxCalls.errno(scratch.errno));
            }
        }
        // Also for reading: an open for writing alone fails while the FIFO has no reader.
        int flags = LinuxCalls.O_RDWR | LinuxCalls.O_NONBLOCK | LinuxCalls.O_CLOEXEC;
        NativeFile held = new NativeFile(file, open(file, flags, 0));
        if (mode >= 0) {
            held.changeMode(mode);
        }
        return held::close;
    }

    @Override
    public Bells bells() throws IOException {
        return new NativeBells();
    }

    /** Renames the draft, which is one change of the folder instead of two. */
    @Override
    void settle(Path draft, Path name) throws IOException {
        try (Arena arena = Arena.ofConfined();
                CallMemory scratch = CallMemory.take()) {
            MemorySegment from = arena.allocateFrom(draft.toString());
            MemorySegment to = arena.allocateFrom(name.toString());
            if (LinuxCalls.renameToNewName(scratch.errno, from, to)) {
                return;
            }
            int errno = LinuxCalls.errno(scratch.errno);
            if (errno != LinuxCalls.EINVAL && errno != LinuxCalls.ENOSYS) {
                throw failure("rename", name, errno);
            }
        }
        // Not every file system supports this rename.
        super.settle(draft, name);
    }

    static IOException failure(String call, Path file, int errno) {
        return switch (errno) {
            case LinuxCalls.ENOENT -> new NoSuchFileException(file.toString());
            case LinuxCalls.EEXIST -> new FileAlreadyExistsException(file.toString());
            case LinuxCalls.EACCES, 1 -> new AccessDeniedException(file.toString());
            case LinuxCalls.EROFS -> new AccessDeniedException(file.toString(), null, "read-only file system");
            case LinuxCalls.ENOSPC, LinuxCalls.EDQUOT, LinuxCalls.EFBIG ->
                new NoRoomException(call + " " + file + ": no room");
            case 5 -> new IOException(call + " " + file + ": input/output error");
            case 24 -> new IOException(call + " " + file + ": too many open files");
            default -> new IOException(call + " " + file + ": errno " + errno);
        };
    }
}
