package dev.muster.testkit.disk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether a simulated process lives, and what it has open. Every call of the process goes through {@link #call}: once
 * it is dead none gets through, whichever thread makes it.
 */
final class Life {
    private static final int NEVER = -1;

    final MemoryDisk disk;
    // In the order of opening, so that what a death does is the same each time.
    private final Set<OpenThing> open = new LinkedHashSet<>();
    private String deathCause;
    private int bytesUntilDeath = NEVER;
    private boolean readOnly;

    /** A file or a page, as the process's death sees it. */
    interface OpenThing {
        /** Lets go of what others may wait for. The lock of the disk is held. */
        void ownerDied();
    }

    /** A step of a call: nothing else happens on the disk meanwhile. */
    interface Step<T> {
        T take() throws IOException;
    }

    Life(MemoryDisk disk) {
        this.disk = disk;
    }

    <T> T call(Step<T> step) throws IOException {
        disk.lock.lock();
        try {
            if (deathCause != null) {
                throw new IOException(deathCause);
            }
            return step.take();
        } finally {
            disk.lock.unlock();
        }
    }

    <T> T change(Step<T> step) throws IOException {
        return call(() -> {
            if (readOnly) {
                throw new IOException("read-only file system");
            }
            return step.take();
        });
    }

    void end(String cause) {
        locked(() -> {
            if (deathCause == null) {
                deathCause = cause;
                List<OpenThing> left = new ArrayList<>(open);
                open.clear();
                left.forEach(OpenThing::ownerDied);
            }
        });
    }

    boolean goesOn() {
        disk.lock.lock();
        try {
            return deathCause == null;
        } finally {
            disk.lock.unlock();
        }
    }

    void endInNextAppend(int bytesWritten) {
        locked(() -> bytesUntilDeath = bytesWritten);
    }

    void spare() {
        endInNextAppend(NEVER);
    }

    /** How many of these bytes the process lives to write; fewer than asked for means it is dead now. */
    int write(int length) {
        if (bytesUntilDeath == NEVER) {
            return length;
        }
        int written = Math.min(length, bytesUntilDeath);
        bytesUntilDeath -= written;
        if (bytesUntilDeath == 0) {
            end("the process was killed in a write");
        }
        return written;
    }

    void makeReadOnly() {
        locked(() -> readOnly = true);
    }

    boolean isReadOnly() {
        disk.lock.lock();
        try {
            return readOnly;
        } finally {
            disk.lock.unlock();
        }
    }

    <T extends OpenThing> T opened(T thing) {
        open.add(thing);
        return thing;
    }

    /** @return whether it was open */
    boolean closed(OpenThing thing) {
        return open.remove(thing);
    }

    boolean isOpen(OpenThing thing) {
        return open.contains(thing);
    }

    int openFiles() {
        disk.lock.lock();
        try {
            return (int) open.stream().filter(MemoryFile.class::isInstance).count();
        } finally {
            disk.lock.unlock();
        }
    }

    void locked(Runnable step) {
        disk.lock.lock();
        try {
            step.run();
        } finally {
            disk.lock.unlock();
        }
    }
}
