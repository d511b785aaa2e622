package dev.muster.store.file.room;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.NoRoomException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Files that only take room, in a folder of their own. A process that must write on a full disk deletes one of them and
 * tries again. They are created again once there is room. The pieces are small, because another program may take the
 * freed room.
 *
 * <p>Several processes may do this at once: a piece is deleted only once, and a piece that two of them fill is a bit
 * larger.
 */
final class DiskReserve {
    static final int PIECE_BYTES = 64 << 10;
    private static final int PIECES_MAX = 32;
    /** The divisor of the largest reserve: it takes at most 1/64 of the file system, but at least one piece. */
    private static final int SHARE = 64;

    private static final String PREFIX = "piece-";
    /** Random bytes, so that a file system with compression does not make them smaller. */
    private static final byte[] CONTENT = incompressible();

    private final Disk disk;
    private final Path folder;

    DiskReserve(Disk disk, Path folder) {
        this.disk = disk;
        this.folder = folder;
    }

    private static byte[] incompressible() {
        byte[] bytes = new byte[PIECE_BYTES];
        new SplittableRandom(7).nextBytes(bytes);
        return bytes;
    }

    private static int pieces(long totalBytes) {
        return Math.clamp(totalBytes / SHARE / PIECE_BYTES, 1, PIECES_MAX);
    }

    /** The number of bytes of the reserve that are missing. */
    long missingBytes(long totalBytes) throws IOException {
        return (long) missing(totalBytes).size() * PIECE_BYTES;
    }

    private Set<String> missing(long totalBytes) throws IOException {
        Set<String> missing = new HashSet<>();
        for (int i = 0; i < pieces(totalBytes); i++) {
            missing.add(PREFIX + i);
        }
        disk.list(folder).forEach(missing::remove);
        return missing;
    }

    /**
     * Creates missing pieces.
     *
     * @param bytesMax the room that they may take together, in bytes
     * @return true if there was something missing and room for a piece
     */
    boolean fill(long totalBytes, long bytesMax) throws IOException {
        Set<String> missing = missing(totalBytes);
        if (missing.isEmpty() || bytesMax < PIECE_BYTES) {
            return false;
        }
        disk.createFolders(folder);
        long left = bytesMax;
        for (String name : missing) {
            if (left < PIECE_BYTES) {
                break;
            }
            left -= PIECE_BYTES;
            make(folder.resolve(name));
        }
        return true;
    }

    private void make(Path piece) throws IOException {
        try (DiskFile file = disk.openForAppend(piece)) {
            file.append(CONTENT, 0, PIECE_BYTES);
        } catch (NoRoomException e) {
            disk.delete(piece);
            throw e;
        }
    }

    /**
     * Gives a piece back to the file system.
     *
     * @return false if there is no piece
     */
    boolean release() throws IOException {
        List<String> there = disk.list(folder).stream()
                .filter(name -> name.startsWith(PREFIX))
                .toList();
        for (String name : there) {
            Path piece = folder.resolve(name);
            boolean worth;
            try {
                worth = disk.size(piece) > 0;
            } catch (NoSuchFileException e) {
                // Another process has released it.
                return true;
            }
            disk.delete(piece);
            if (worth) {
                return true;
            }
        }
        return false;
    }
}
