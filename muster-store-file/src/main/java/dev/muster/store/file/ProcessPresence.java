package dev.muster.store.file;

import dev.muster.store.file.host.HostFiles;
import java.io.IOException;

/**
 * The files by which other processes see and wake this one. On a full disk a store can be opened without them, and they
 * are created later.
 */
final class ProcessPresence {
    private final HostFiles hostFiles;
    private final WakePage wakePage;

    /** @param hostFiles the files of this process; null if it may only read */
    ProcessPresence(HostFiles hostFiles, WakePage wakePage) {
        this.hostFiles = hostFiles;
        this.wakePage = wakePage;
    }

    /** Creates the files for which there was no room when the store was opened. */
    void complete() throws IOException {
        if (hostFiles != null && !hostFiles.isRegistered()) {
            hostFiles.completeRegistration();
        }
        wakePage.createIfMissing();
    }

    /** Throws if other processes cannot see this one: they would expel a member in it. */
    void check() {
        if (hostFiles != null && !hostFiles.isRegistered()) {
            StoreAccess.io("make this process known", () -> {
                complete();
                return null;
            });
        }
    }
}
