package dev.muster.store.file;

import dev.muster.disk.local.ChannelDisk;
import dev.muster.store.LogStore;
import dev.muster.testkit.LogStoreContract;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.SimulatedProcess;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The file store keeps the contract of every store on each of its disks. */
class FileStoreContractTest {
    @Nested
    class OnTheBestDisk implements LogStoreContract {
        @TempDir
        Path directory;

        @Override
        public LogStore open() {
            return FileStore.open(directory, FileStoreOptions.defaults().withAllowAnyFileSystem(true));
        }
    }

    @Nested
    class WithoutNativeAccess implements LogStoreContract {
        private final ChannelDisk disk = new ChannelDisk();

        @TempDir
        Path directory;

        @Override
        public LogStore open() {
            return FileStore.open(
                    directory, FileStoreOptions.defaults().withDisk(disk).withAllowAnyFileSystem(true));
        }
    }

    @Nested
    class OnASimulatedDisk implements LogStoreContract {
        private final UUID bootId = UUID.randomUUID();
        private final SimulatedProcess process = new MemoryDisk().process();

        @Override
        public LogStore open() {
            return Stores.open(process, Path.of("/data"), bootId);
        }
    }
}
