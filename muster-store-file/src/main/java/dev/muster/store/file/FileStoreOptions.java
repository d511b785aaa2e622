package dev.muster.store.file;

import dev.muster.disk.Disk;
import dev.muster.disk.local.NativeDisk;
import dev.muster.store.file.host.ProcessIdentity;
import java.time.Clock;
import java.time.Duration;

/**
 * The options for opening a directory.
 *
 * @param disk the disk with the files
 * @param host the process that opens the directory
 * @param clock the clock for timestamps and ages; never for liveness
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
        Clock clock,
        boolean readOnly,
        boolean createMissing,
        boolean allowAnyFileSystem,
        Duration lockPatience,
        Duration retentionInterval,
        long journalSegmentBytes) {

    public static FileStoreOptions defaults() {
        return new FileStoreOptions(
                NativeDisk.orFallback(),
                ProcessIdentity.current(),
                Clock.systemUTC(),
                false,
                true,
                false,
                Duration.ofMillis(200),
                Duration.ofMinutes(5),
                16 << 20);
    }

    public FileStoreOptions withDisk(Disk other) {
        return new FileStoreOptions(
                other,
                host,
                clock,
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
                clock,
                readOnly,
                createMissing,
                allowAnyFileSystem,
                lockPatience,
                retentionInterval,
                journalSegmentBytes);
    }

    public FileStoreOptions withClock(Clock other) {
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
                clock,
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
                clock,
                readOnly,
                yes,
                allowAnyFileSystem,
                lockPatience,
                retentionInterval,
                journalSegmentBytes);
    }

    public FileStoreOptions withAllowAnyFileSystem(boolean yes) {
        return new FileStoreOptions(
                disk, host, clock, readOnly, createMissing, yes, lockPatience, retentionInterval, journalSegmentBytes);
    }

    public FileStoreOptions withRetentionInterval(Duration interval) {
        return new FileStoreOptions(
                disk,
                host,
                clock,
                readOnly,
                createMissing,
                allowAnyFileSystem,
                lockPatience,
                interval,
                journalSegmentBytes);
    }

    public FileStoreOptions withJournalSegmentBytes(long bytes) {
        return new FileStoreOptions(
                disk, host, clock, readOnly, createMissing, allowAnyFileSystem, lockPatience, retentionInterval, bytes);
    }
}
