package dev.muster.store.file.log;

import dev.muster.disk.Disk;
import dev.muster.store.file.room.DiskPressure;
import dev.muster.store.runtime.StoreRuntime;
import java.time.Clock;
import java.time.Duration;
import java.util.UUID;

/**
 * The environment that the partitions of one store share.
 *
 * @param lockPatience the time that a writer waits for a lock whose holder makes no progress
 */
public record LogEnvironment(
        Disk disk,
        UUID bootId,
        StoreRuntime runtime,
        Duration lockPatience,
        boolean readOnly,
        Waker waker,
        UnsyncedWatch unsynced,
        DiskPressure pressure) {

    /** The wall clock. */
    public Clock clock() {
        return runtime.clock();
    }
}
