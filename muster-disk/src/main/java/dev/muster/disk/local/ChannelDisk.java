package dev.muster.disk.local;

import dev.muster.disk.Bell;
import dev.muster.disk.Bells;
import dev.muster.disk.DiskFile;
import dev.muster.disk.NoBells;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The disk in plain Java. A {@code FileChannel} lock is lost when the same process closes any other channel of that
 * file. So each file has one {@link ChannelFile} here, which all its users in this process share.
 */
public final class ChannelDisk extends LocalDisk {
    private final Map<Path, ChannelFile> openFiles = new HashMap<>();

    public ChannelDisk() {
        super(new PollingWaiting());
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return share(file, false);
    }

    @Override
    public DiskFile openForAppend(Path file) throws IOException {
        return share(file, true);
    }

    private ChannelFile.Handle share(Path file, boolean append) throws IOException {
        Path key = file.toAbsolutePath().normalize();
        synchronized (openFiles) {
            ChannelFile shared = openFiles.get(key);
            if (shared == null || !isAt(key, shared)) {
                shared = new ChannelFile(key, this);
            }
            shared.open(append);
            openFiles.put(key, shared);
            return shared.newHandle();
        }
    }

    /** True if the path still belongs to the file that is open. */
    private boolean isAt(Path path, ChannelFile open) throws IOException {
        try {
            return identity(path).equals(open.identity());
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public boolean isLocked(Path file) throws IOException {
        try (ChannelFile.Handle asked = share(file, false)) {
            return asked.isLocked();
        }
    }

    @Override
    public Bell bell(Path file) {
        return () -> {};
    }

    @Override
    public Bells bells() {
        return new NoBells();
    }

    /** Releases a handle that was closed. The channels are closed with the last handle. */
    void release(ChannelFile file) {
        synchronized (openFiles) {
            if (file.dropUser()) {
                openFiles.remove(file.path(), file);
            }
        }
    }
}
