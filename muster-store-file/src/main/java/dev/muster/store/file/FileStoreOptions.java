package dev.muster.store.file;

import dev.muster.disk.Disk;
import dev.muster.disk.local.NativeDisk;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.runtime.StoreRuntime;
import java.time.Clock;
import java.time.Duration;

/**
 * The options for opening a directory.
 *
 * @param disk the disk with the files
 * @param host the process that opens the directory
 * @param runtime the clocks and random ids. Times that processes share are those of the machine of the disk
 * @param readOnly true to never write, even where it is allowed
 * @param createMissing true to create the directory if it does not exist
 * @param allowAnyFileSystem true to open it also on a file system that is not known to work
 * @param lockPatience the time that a writer waits for a lock whose holder makes no progress
 * @param retentionInterval the interval at which one of the processes looks for old segments
 * @param journalSegmentBytes the size at which a segment of a group's journal is closed
 */
public record FileStoreOptions(
        Disk disk,
        ProcessIdentity host,
        StoreRuntime runtime,
        boolean readOnly,
        boolean createMissing,
        boolean allowAnyFileSystem,
        Duration lockPatience,
        Duration retentionInterval,
        long journalSegmentBytes) {

    public static FileStoreOptions defaults() {
        StoreRuntime system = StoreRuntime.system();
        return new FileStoreOptions(
                NativeDisk.orFallback(),
                ProcessIdentity.current(system.newId()),
                system,
                false,
                true,
                false,
                Duration.ofMillis(200),
                Duration.ofMinutes(5),
                16 << 20);
    }

    /** The same options with this disk. The monotonic clock and the random ids are then those of its machine. */
    public FileStoreOptions withDisk(Disk other) {
        return new FileStoreOptions(
                other,
                host,
                new StoreRuntime(runtime.clock(), other.machine()::nanoTime, other.machine()::newId),
                readOnly,
                createMissing,
                allowAnyFileSystem,
                lockPatience,
                retentionInterval,
                journalSegmentBytes);
    }

    public FileStoreOptions withHost(ProcessIdentity other) {
        return new FileStoreOptions(
                disk,
                other,
                runtime,
                readOnly,
                createMissing,
                allowAnyFileSystem,
                lockPatience,
                retentionInterval,
                journalSegmentBytes);
    }

    /** The same options with this wall clock. */
    public FileStoreOptions withClock(Clock other) {
        return withRuntime(runtime.withClock(other));
    }

    public FileStoreOptions withRuntime(StoreRuntime other) {
        return new FileStoreOptions(
                disk,
                host,
                other,
                readOnly,
                createMissing,
                allowAnyFileSystem,
                lockPatience,
                retentionInterval,
                journalSegmentBytes);
    }

    public FileStoreOptions withReadOnly(boolean yes) {
        return new FileStoreOptions(
                disk,
                host,
                runtime,
                yes,
                createMissing,
                allowAnyFileSystem,
                lockPatience,
                retentionInterval,
                journalSegmentBytes);
    }

    public FileStoreOptions withCreateMissing(boolean yes) {
        return new FileStoreOptions(
                disk,
                host,
                runtime,
                readOnly,
                yes,
                allowAnyFileSystem,
                lockPatience,
                retentionInterval,
                journalSegmentBytes);
    }

    public FileStoreOptions withAllowAnyFileSystem(boolean yes) {
        return new FileStoreOptions(
                disk,
                host,
                runtime,
                readOnly,
                createMissing,
                yes,
                lockPatience,
                retentionInterval,
                journalSegmentBytes);
    }

    public FileStoreOptions withRetentionInterval(Duration interval) {
        return new FileStoreOptions(
                disk,
                host,
                runtime,
                readOnly,
                createMissing,
                allowAnyFileSystem,
                lockPatience,
                interval,
                journalSegmentBytes);
    }

    public FileStoreOptions withJournalSegmentBytes(long bytes) {
        return new FileStoreOptions(
                disk,
                host,
                runtime,
                readOnly,
                createMissing,
                allowAnyFileSystem,
                lockPatience,
                retentionInterval,
                bytes);
    }
}
