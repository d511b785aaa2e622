package dev.muster.store.file;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.store.runtime.StoreRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Producer ids that are never given twice in a directory. To claim a block of ids a process appends 16 random bytes to
 * a file. Their position is the number of the block. The block counts only if the bytes are found at that position.
 */
final class ProducerIds {
    private static final int CLAIM = 16;
    private static final int BLOCK = 64;

    private final Disk disk;
    private final Path file;
    private final StoreRuntime runtime;
    private long next;
    private long end;

    ProducerIds(Disk disk, Path file, StoreRuntime runtime) {
        this.disk = disk;
        this.file = file;
        this.runtime = runtime;
    }

    synchronized long next() throws IOException {
        if (next == end) {
            long claimed = claim();
            // Positions differ by at least a byte, so blocks never overlap.
            next = claimed * BLOCK;
            end = next + BLOCK;
        }
        return next++;
    }

    private long claim() throws IOException {
        try (DiskFile claims = disk.openForAppend(file)) {
            while (true) {
                UUID random = runtime.newId();
                byte[] claim = ByteBuffer.allocate(CLAIM)
                        .putLong(random.getMostSignificantBits())
                        .putLong(random.getLeastSignificantBits())
                        .array();
                long behind = claims.append(claim, 0, CLAIM);
                byte[] there = new byte[CLAIM];
                int count = claims.read(behind - CLAIM, there, 0, CLAIM);
                if (count == CLAIM && java.util.Arrays.equals(claim, there)) {
                    claims.sync();
                    disk.syncFolder(file.getParent());
                    return behind;
                }
            }
        }
    }
}
