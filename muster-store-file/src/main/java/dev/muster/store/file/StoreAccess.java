package dev.muster.store.file;

import dev.muster.core.MusterException;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.file.log.DiskErrors;
import dev.muster.store.file.room.DiskPressure;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Whether an open store may be used, and for what. Runs the calls of the store, and translates failures of the disk
 * into errors of the contract. Safe for many threads.
 */
final class StoreAccess {
    private final Path root;
    private final boolean readOnly;
    private final DiskPressure pressure;
    private volatile boolean closed;
    /** The error that every call gets; null as long as the store may be used. */
    private volatile MusterException refused;

    /** A call of the store that uses the disk. */
    interface Call<T> {
        T run() throws IOException;
    }

    StoreAccess(Path root, boolean readOnly, DiskPressure pressure) {
        this.root = root;
        this.readOnly = readOnly;
        this.pressure = pressure;
    }

    boolean readOnly() {
        return readOnly;
    }

    void checkOpen() {
        if (refused != null) {
            throw refused;
        }
        if (closed) {
            throw new StoreClosedException("the store in " + root);
        }
    }

    void checkWritable(String what) {
        checkOpen();
        if (readOnly) {
            throw new ReadOnlyException(what + " in " + root);
        }
    }

    /** Makes every later call fail with this error. */
    void refuse(MusterException reason) {
        refused = reason;
    }

    void close() {
        closed = true;
    }

    /** @param what the verb and object of the error message: "read topic t" */
    static <T> T io(String what, Call<T> call) {
        try {
            return call.run();
        } catch (IOException e) {
            throw DiskErrors.of(what, e);
        }
    }

    /** Runs a change that needs little room and may free some. It may use the reserve of the disk. */
    <T> T evenWhenFull(String what, Call<T> call) {
        return io(what, () -> pressure.evenWhenFull(call::run));
    }
}
