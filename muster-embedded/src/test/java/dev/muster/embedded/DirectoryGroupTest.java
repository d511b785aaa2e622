package dev.muster.embedded;

import dev.muster.store.LogStore;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

class DirectoryGroupTest extends GroupTests {
    @TempDir
    Path directory;

    private final Map<Muster, LogStore> stores = new HashMap<>();

    @Override
    Muster process() {
        LogStore store = FileStore.open(directory, FileStoreOptions.defaults());
        Muster muster = Muster.over(store);
        stores.put(muster, store);
        return muster;
    }

    /** Its files are closed and its locks free, as the kernel would do; nothing else is said to anybody. */
    @Override
    void kill(Muster process) {
        stores.get(process).close();
    }
}
