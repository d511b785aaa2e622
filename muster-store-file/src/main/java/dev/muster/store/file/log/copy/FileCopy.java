package dev.muster.store.file.log.copy;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;

/** Copies files durably and computes the checksum of the bytes that it wrote. For one thread. */
public final class FileCopy {
    private static final int PIECE = 1 << 20;

    private final Disk disk;
    private final LongConsumer copied;
    private byte[] piece = new byte[64 << 10];

    /** @param copied the consumer of the number of bytes of each piece that was copied */
    public FileCopy(Disk disk, LongConsumer copied) {
        this.disk = disk;
        this.copied = copied;
    }

    /** Copies the first bytes of a file into a new file and makes its content durable. */
    public PartitionCopy.CopiedFile copy(DiskFile source, long bytes, Path target) throws IOException {
        if (bytes > piece.length) {
            piece = new byte[PIECE];
        }
        CRC32C crc = new CRC32C();
        try (DiskFile writing = disk.openForAppend(target)) {
            for (long done = 0; done < bytes; ) {
                int part = source.read(done, piece, 0, (int) Math.min(piece.length, bytes - done));
                if (part <= 0) {
                    throw new IOException(target.getFileName() + " became shorter while it was copied");
                }
                writing.append(piece, 0, part);
                crc.update(piece, 0, part);
                done += part;
                copied.accept(part);
            }
            writing.sync();
        }
        return new PartitionCopy.CopiedFile(target.getFileName().toString(), bytes, (int) crc.getValue(), false, false);
    }

    /** Writes a new small file and makes its content durable. */
    public PartitionCopy.CopiedFile write(byte[] content, Path target) throws IOException {
        CRC32C crc = new CRC32C();
        crc.update(content, 0, content.length);
        try (DiskFile writing = disk.openForAppend(target)) {
            writing.append(content, 0, content.length);
            writing.sync();
        }
        copied.accept(content.length);
        return new PartitionCopy.CopiedFile(
                target.getFileName().toString(), content.length, (int) crc.getValue(), false, false);
    }
}
