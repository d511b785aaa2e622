package dev.muster.testkit.disk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The life of a simulated process: whether it is alive, and the things it has open. Every call of the process goes
 * through {@link #call}, which refuses the calls of all threads once the process is dead.
 */
final class Life {
    private static final int NEVER = -1;

    final MemoryDisk disk;
    // In the order of opening, so that every run with the same seed closes them in the same order.
    private final Set<OpenThing> open = new LinkedHashSet<>();
    private String deathCause;
    private int bytesUntilDeath = NEVER;
    private boolean readOnly;

    /** A file, page or bell that a process has open. */
    interface OpenThing {
        /** Frees locks and wakes waiting threads after the death of the process. Called with the lock of the disk. */
        void ownerDied();
    }

    /** A step of a call, run with the lock of the disk. */
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

    /** True if the process is alive. */
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

    /**
     * Takes the death in a write into account.
     *
     * @return number of these bytes that are written; if it is smaller than asked for, the process is dead now
     */
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

    /** @return true if it was open */
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
