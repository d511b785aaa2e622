package dev.muster.store.file;

import dev.muster.disk.local.ChannelDisk;
import dev.muster.store.LogStore;
import dev.muster.testkit.GroupStoreContract;
import dev.muster.testkit.disk.MemoryDisk;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The file store keeps the contract for groups on each of its disks. */
class FileGroupStoreTest {
    @Nested
    class OnTheBestDisk implements GroupStoreContract {
        @TempDir
        Path directory;

        @Override
        public LogStore open() {
            return FileStore.open(directory, FileStoreOptions.defaults().withAllowAnyFileSystem(true));
        }

        @Override
        public LogStore openBeside(LogStore first) {
            return open();
        }
    }

    @Nested
    class WithoutNativeAccess implements GroupStoreContract {
        private final ChannelDisk disk = new ChannelDisk();

        @TempDir
        Path directory;

        @Override
        public LogStore open() {
            return FileStore.open(
                    directory, FileStoreOptions.defaults().withDisk(disk).withAllowAnyFileSystem(true));
        }

        @Override
        public LogStore openBeside(LogStore first) {
            return open();
        }
    }

    @Nested
    class OnASimulatedDisk implements GroupStoreContract {
        private final UUID bootId = UUID.randomUUID();
        private final MemoryDisk machine = new MemoryDisk();

        @Override
        public LogStore open() {
            return Stores.open(machine.process(), Path.of("/data"), bootId);
        }

        @Override
        public LogStore openBeside(LogStore first) {
            return open();
        }
    }
}
