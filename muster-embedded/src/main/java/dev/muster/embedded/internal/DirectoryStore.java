package dev.muster.embedded.internal;

import dev.muster.embedded.MusterOptions;
import dev.muster.store.LogStore;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import java.nio.file.Path;

/** Opens a directory with the file store. The only place in the library that chooses this store. */
final class DirectoryStore {
    private DirectoryStore() {}

    static LogStore open(Path directory, MusterOptions options) {
        return FileStore.open(
                directory,
                FileStoreOptions.defaults()
                        .withAllowAnyFileSystem(options.allowAnyFileSystem())
                        .withCreateMissing(options.createMissing())
                        .withReadOnly(options.readOnly()));
    }
}
