package dev.muster.store.file;

import dev.muster.disk.Disk;
import dev.muster.store.LogStore;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.layout.Layout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The roles that this process has in the directory. Safe for many threads. */
final class ClaimedRoles {
    private final Disk disk;
    private final Layout layout;

    private final List<RoleLock> roles = new ArrayList<>();

    /** On {@code muster.json}; locked while this process has a role. */
    private RoleLock anchor;

    ClaimedRoles(Disk disk, Layout layout) {
        this.disk = disk;
        this.layout = layout;
    }

    /** Takes a role; empty if another process has it. */
    synchronized Optional<LogStore.Claim> claim(String role) throws IOException {
        Optional<RoleLock> lock = RoleLock.take(disk, layout.role(role));
        if (lock.isEmpty()) {
            return Optional.empty();
        }
        if (!anchored()) {
            lock.get().close();
            return Optional.empty();
        }
        roles.add(lock.get());
        return Optional.of(new FileClaim(lock.get(), () -> release(lock.get())));
    }

    /**
     * Takes the anchor. A cleaning program may delete the file of a role while a process has the role. So a process
     * with a role also holds the lock on {@code muster.json}, without which there is no store.
     *
     * @return false if another process has it
     */
    private boolean anchored() throws IOException {
        if (anchor == null) {
            anchor = RoleLock.take(disk, layout.musterJson()).orElse(null);
        }
        return anchor != null;
    }

    private synchronized void release(RoleLock role) {
        role.close();
        roles.remove(role);
        if (roles.isEmpty() && anchor != null) {
            anchor.close();
            anchor = null;
        }
    }

    /**
     * Takes the locks again whose files lost their names.
     *
     * @throws UnsupportedStoreException if another process has taken one of them
     */
    synchronized void keep() throws IOException {
        if (roles.isEmpty()) {
            return;
        }
        for (RoleLock role : roles) {
            keep(role);
        }
        keep(anchor);
    }

    private void keep(RoleLock role) throws IOException {
        if (!role.keep()) {
            throw new UnsupportedStoreException(
                    layout.root() + " was replaced, and another process has taken "
                            + role.file().getFileName() + " in it",
                    "stop this process, or the other one and start this one again");
        }
    }
}
