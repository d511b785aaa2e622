package dev.muster.store.file.log;

import dev.muster.disk.DiskFile;
import dev.muster.store.ReadOnlyException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** The notes that a user of a partition keeps beside it, in files of the partition's folder. */
final class PartitionNotes {
    private static final String NOTE_SUFFIX = ".note";

    private final PartitionState state;

    PartitionNotes(PartitionState state) {
        this.state = state;
    }

    Optional<byte[]> read(String name) {
        try {
            return Optional.of(state.env().disk().readAll(noteFile(name)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw state.failed("read a note of", e);
        }
    }

    void keep(String name, byte[] content) {
        if (state.env().readOnly()) {
            throw new ReadOnlyException("keep a note of " + state.key());
        }
        Path draft = state.key().folder().resolve(name + NOTE_SUFFIX + ".tmp");
        try {
            // A killed process may have left the draft.
            state.env().disk().delete(draft);
            try (DiskFile file = state.env().disk().openForAppend(draft)) {
                file.append(content, 0, content.length);
            }
            state.env().disk().rename(draft, noteFile(name));
        } catch (IOException e) {
            state.topicView().checkNotDeleted();
            throw state.failed("keep a note of", e);
        }
    }

    private Path noteFile(String name) {
        return state.key().folder().resolve(name + NOTE_SUFFIX);
    }
}
