package dev.muster.testkit.disk;

import dev.muster.disk.Disk;
import dev.muster.disk.local.ChannelDisk;
import dev.muster.disk.local.NativeDisk;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The real disks pass the same tests as the simulated ones. */
class RealDisksTest {
    @Nested
    class Native implements DiskContract {
        private final Disk disk = NativeDisk.orFallback();

        @TempDir
        Path folder;

        @Override
        public Disk disk() {
            return disk;
        }

        @Override
        public Path folder() {
            return folder;
        }
    }

    @Nested
    class Channels implements DiskContract {
        private final Disk disk = new ChannelDisk();

        @TempDir
        Path folder;

        @Override
        public Disk disk() {
            return disk;
        }

        @Override
        public Path folder() {
            return folder;
        }
    }
}
