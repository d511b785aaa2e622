package dev.muster.it;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.testkit.disk.ForwardingFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A planted bug: log files are written some time after {@code append} returned, and {@code sync} does not wait. */
final class LateDisk {
    private static final long LATE_MS = 30;

    private LateDisk() {}

    static Disk over(Disk real) {
        return LogFiles.wrapped(real, LateFile::new);
    }

    private static final class LateFile extends ForwardingFile {
        private long end;
        private CompletableFuture<Void> pending = CompletableFuture.completedFuture(null);

        LateFile(DiskFile real) throws IOException {
            super(real);
            this.end = real.size();
        }

        @Override
        public long append(byte[] bytes, int offset, int length) throws IOException {
            end += length;
            if (!LogFiles.areRecords(length)) {
                // Marks are read back at once; only records are late.
                pending.join();
                file.append(bytes, offset, length);
                return end;
            }
            byte[] copy = Arrays.copyOfRange(bytes, offset, offset + length);
            pending = pending.thenRunAsync(
                    () -> {
                        try {
                            file.append(copy, 0, copy.length);
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
        public void sync() {}
    }
}
