package dev.muster.it;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A bug to be caught: log files are written some time after {@code append} returned, and {@code sync} does not wait.
 */
final class LateDisk {
    private static final long LATE_MS = 30;

    private LateDisk() {}

    static Disk over(Disk real) {
        return LogFiles.wrapped(real, LateFile::new);
    }

    private static final class LateFile implements DiskFile {
        private final DiskFile real;
        private long end;
        private CompletableFuture<Void> pending = CompletableFuture.completedFuture(null);

        LateFile(DiskFile real) throws IOException {
            this.real = real;
            this.end = real.size();
        }

        @Override
        public int read(long position, byte[] into, int offset, int length) throws IOException {
            return real.read(position, into, offset, length);
        }

        @Override
        public long append(byte[] bytes, int offset, int length) throws IOException {
            end += length;
            if (!LogFiles.areRecords(length)) {
                // Marks are read back at once; only records come late.
                pending.join();
                real.append(bytes, offset, length);
                return end;
            }
            byte[] copy = Arrays.copyOfRange(bytes, offset, offset + length);
            pending = pending.thenRunAsync(
                    () -> {
                        try {
                            real.append(copy, 0, copy.length);
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    CompletableFuture.delayedExecutor(LATE_MS, TimeUnit.MILLISECONDS));
            return end;
        }

        @Override
        public long size() {
            return end;
        }

        @Override
        public FileIdentity identity() throws IOException {
            return real.identity();
        }

        @Override
        public void sync() {}

        @Override
        public boolean tryLock() throws IOException {
            return real.tryLock();
        }

        @Override
        public void unlock() throws IOException {
            real.unlock();
        }

        @Override
        public void close() {
            real.close();
        }
    }
}
