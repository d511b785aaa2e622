package dev.muster.store.file.backup;

import dev.muster.core.MusterException;
import java.nio.file.Path;

/** There is no backup at the place where it should be. */
public final class BackupNotFoundException extends MusterException {
    private static final long serialVersionUID = 1L;

    BackupNotFoundException(Path where) {
        super("there is no backup in " + where, "name a directory that muster backup made, or one backup in it");
    }
}
