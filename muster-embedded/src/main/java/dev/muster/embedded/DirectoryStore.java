package dev.muster.embedded;

import dev.muster.store.LogStore;
import java.nio.file.Path;

/** The choice of the file store for a directory. */
final class DirectoryStore {
    private DirectoryStore() {}

    static LogStore open(Path directory, MusterOptions options) {
        throw new UnsupportedOperationException("the file store is not merged yet: " + directory + " " + options);
    }
}
