package dev.muster.store.file.log;

import dev.muster.core.SyncLevel;
import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import dev.muster.store.SyncFailedException;
import dev.muster.store.file.log.recovery.ControlPage;
import dev.muster.store.file.log.recovery.SegmentList;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.file.log.segment.SparseIndex;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes the records of one partition durable. One sync serves all waiting threads of all processes: it covers the bytes
 * of all of them, and a thread that finds the durable end high enough does not sync. A failed sync is final for its
 * segment: the kernel may have dropped the bytes, and a second try would "succeed".
 */
final class SegmentSync implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SegmentSync.class.getName());
    private static final long CHECKPOINT_BYTES = 64L << 20;

    private final PartitionState log;
    // Threads that arrive during a sync wait for this lock. The first of them then syncs for all the others.
    private final ReentrantLock lock = new ReentrantLock();
    private SegmentName fileName;
    private DiskFile file;
    private FileIdentity identity;
    // Below this offset, the records of this process were found in files that still have their names.
    private volatile long inPlaceEnd;
    /** True if the last check found that the control page has lost its name. */
    private volatile boolean pageIsGone;

    private SegmentName durableName;
    private SegmentName checkpointName;
    private long checkpointSize;

    SegmentSync(PartitionState log) {
        this.log = log;
    }

    /** Syncs all written records, unless they are durable or were given up already. */
    void all() {
        long written = log.control().writtenEnd();
        if (log.control().durableEnd() < written) {
            upTo(written);
        }
    }

    void upTo(long endOffset) {
        if (endOffset > log.control().writtenEnd()) {
            checkWritten(endOffset);
        }
        while (log.control().durableEnd() < endOffset) {
            lock.lock();
            try {
                long before = log.control().durableEnd();
                if (before < endOffset) {
                    sync();
                    checkProgress(before);
                }
            } finally {
                lock.unlock();
            }
        }
        if (inPlaceEnd < endOffset) {
            checkInPlace();
        }
        if (pageIsGone) {
            // Before the acknowledgement, because readers use the page that has the name.
            log.moveToPage();
            pageIsGone = false;
        }
        checkNotLost(endOffset);
    }

    /** Checks under the lock, so that the page is not replaced by another one meanwhile. */
    private void checkWritten(long endOffset) {
        lock.lock();
        try {
            if (endOffset > log.control().writtenEnd()) {
                throw new IllegalArgumentException(
                        "offset " + (endOffset - 1) + " of " + log.name() + " was never written");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Runs the work while no sync of this process is in progress. */
    void exclusively(SegmentWriter.Exclusive work) throws IOException {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Checks that the names of the segments that this process wrote to still belong to these files. A sync by another
     * process does not cover this, because that process knows only its own files. It takes one system call for each
     * name, and mostly there is one.
     */
    void checkInPlace() {
        lock.lock();
        try {
            long durable = log.control().durableEnd();
            for (WrittenFiles.Written written : log.writer().written().list()) {
                checkInPlace(written.name(), written.file());
            }
            pageIsGone |= !log.pageIsInPlace();
            log.writer().written().forgetBelow(durable);
            inPlaceEnd = Math.max(inPlaceEnd, durable);
        } catch (IOException e) {
            throw log.failed("sync", e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Throws if the name of the segment does not belong to this file, unless the segment's records were trimmed away.
     */
    private void checkInPlace(SegmentName name, FileIdentity expected) throws IOException {
        FileIdentity now = named(name);
        if (now == null) {
            log.restoreFolder();
            now = named(name);
        }
        if (expected.equals(now)) {
            return;
        }
        // The folder is checked first: the segments of another folder do not show what was trimmed here.
        log.checkFolder();
        if (!isTrimmed(name)) {
            throw log.replaced(log.file(name) + (now == null ? " was removed" : " was replaced"));
        }
    }

    /** True if the segment was missing only because another process had moved the folder away by mistake. */
    private boolean isRestored(SegmentName name) {
        try {
            log.restoreFolder();
            return named(name) != null;
        } catch (IOException e) {
            throw log.failed("sync", e);
        }
    }

    /** The identity of the file that has the name of the segment now; null if there is no such file. */
    private FileIdentity named(SegmentName name) throws IOException {
        try {
            return log.env().disk().identity(log.file(name));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /**
     * True if all records of the segment were trimmed away. An empty file may have its name again: a writer that was
     * stopped just before it opened the segment creates one.
     */
    private boolean isTrimmed(SegmentName name) {
        for (SegmentName later : log.segments().refresh()) {
            if (later.compareTo(name) > 0) {
                return later.base() <= log.control().start();
            }
        }
        return false;
    }

    /** Throws if the sync made no progress. If a segment is missing, no further sync would make progress either. */
    private void checkProgress(long before) {
        if (log.control().durableEnd() == before) {
            log.segments().refresh();
            throw log.failed("sync", new IOException("the segment with offset " + before + " is missing"));
        }
    }

    private void checkNotLost(long endOffset) {
        try {
            if (log.facts().lostAt(endOffset - 1) != null) {
                throw new SyncFailedException(log.key().folder().toString(), null);
            }
        } catch (IOException e) {
            throw log.failed("read the checkpoint of", e);
        }
    }

    /** Syncs every segment with records that are written but not durable, the oldest first. */
    private void sync() {
        ControlPage control = log.control();
        // Read before the sync, because the sync may not cover records that are written while it runs.
        long written = control.writtenEnd();
        // Records that were trimmed away before they were synced need no sync any more, and their segments may be gone.
        boolean raised = control.raiseDurableEnd(Math.min(control.start(), written));
        long durable = control.durableEnd();
        List<SegmentName> names = log.segments().names();
        for (int i = Math.max(0, SegmentList.floor(names, durable)); i < names.size(); i++) {
            SegmentName name = names.get(i);
            if (name.base() >= written) {
                break;
            }
            boolean last = i + 1 == names.size();
            long end = last ? written : Math.min(written, names.get(i + 1).base());
            if (sync(name, last, end)) {
                inPlaceEnd = Math.max(inPlaceEnd, end);
                raised |= control.raiseDurableEnd(end);
            }
            if (control.durableEndIsFrozen()) {
                // Another process is giving up the records of a failed sync: the records synced here may be among them.
                throw new SyncFailedException(log.file(name).toString(), null);
            }
        }
        if (raised && !log.showsUnsynced()) {
            log.publish();
        }
    }

    /**
     * Syncs one segment.
     *
     * @return true if the records of the segment are durable now; false if they were given up
     */
    private boolean sync(SegmentName name, boolean last, long end) {
        try {
            if (log.control().failed(name)) {
                return giveUpUnlessLast(name, last, end, null);
            }
            // Outside of the inner try: if the open fails for lack of descriptors, this call fails, and the segment is
            // not marked as failed.
            DiskFile syncing = file(name);
            try {
                syncing.sync();
                if (!name.equals(durableName)) {
                    // Before a record in a new file is acknowledged, the name of the file must be durable too.
                    log.env().disk().syncFolder(log.key().folder());
                    durableName = name;
                }
            } catch (IOException e) {
                log.control().setFailed(name);
                return giveUpUnlessLast(name, last, end, e);
            }
            checkSynced(name, end);
            checkpoint(name, syncing);
            return true;
        } catch (NoSuchFileException e) {
            if (log.control().start() >= end) {
                return true; // trimmed away meanwhile
            }
            if (isRestored(name)) {
                return sync(name, last, end);
            }
            throw log.replaced(log.file(name) + " was removed");
        } catch (IOException e) {
            throw log.failed("sync", e);
        }
    }

    /**
     * Checks after the sync, and before a record is acknowledged, that the name belongs to the file that was synced and
     * written.
     */
    private void checkSynced(SegmentName name, long end) throws IOException {
        checkInPlace(name, identity);
        List<WrittenFiles.Written> written = log.writer().written().list();
        for (WrittenFiles.Written each : written) {
            if (!each.name().equals(name)) {
                checkInPlace(each.name(), each.file());
            } else if (!each.file().equals(identity)) {
                log.checkFolder();
                if (!isTrimmed(name)) {
                    throw log.replaced(log.file(name) + " was replaced");
                }
            }
        }
        pageIsGone |= !log.pageIsInPlace();
        if (written.size() > 1) {
            log.writer().written().forgetBelow(end);
        }
    }

    /**
     * Gives up the records of a segment that is not the last one. Writers do not return to such a segment, so no other
     * code would do it.
     *
     * @return false
     */
    private boolean giveUpUnlessLast(SegmentName name, boolean last, long end, IOException cause) throws IOException {
        if (last) {
            throw new SyncFailedException(log.file(name).toString(), cause);
        }
        log.giveUp(end);
        return false;
    }

    private DiskFile file(SegmentName name) throws IOException {
        if (!name.equals(fileName)) {
            closeFile();
            DiskFile opened = log.env().disk().open(log.file(name));
            try {
                identity = opened.identity();
            } catch (IOException e) {
                opened.close();
                throw e;
            }
            file = opened;
            fileName = name;
        }
        return file;
    }

    /** Closes the segment that this process synced last if it was trimmed away. Does not wait for a sync. */
    void closeTrimmed() {
        if (!lock.tryLock()) {
            return;
        }
        try {
            if (fileName != null && log.segments().isTrimmed(fileName)) {
                closeFile();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Records the place from which recovery must read. */
    private void checkpoint(SegmentName name, DiskFile synced) throws IOException {
        if (!name.equals(checkpointName)) {
            if (name.base() > 0) {
                // All older segments are durable. Recovery must know that before the first record of this segment is
                // acknowledged: a record that is missing in an older segment is then damage, and not lost in a power
                // cut.
                boolean syncs = log.settings().sync() == SyncLevel.COMMIT;
                log.env().pressure().evenWhenFull(() -> {
                    log.checkpoint().writeDurable(name.base(), name, 0, syncs);
                    return null;
                });
            }
            checkpointName = name;
            checkpointSize = 0;
            return;
        }
        long size = synced.size();
        if (size - checkpointSize < CHECKPOINT_BYTES) {
            return;
        }
        checkpointSize = size;
        try {
            SparseIndex.Entry entry = SparseIndex.load(log.env().disk(), log.indexFile(name))
                    .floor(log.control().durableEnd() - 1);
            if (entry != null && SparseIndex.agrees(synced, entry)) {
                log.checkpoint().writeDurable(entry.offset(), name, entry.position(), false);
            }
        } catch (IOException e) {
            // This checkpoint is only a hint that saves time.
            LOG.log(System.Logger.Level.DEBUG, "no checkpoint for {0}: {1}", name, e.getMessage());
        }
    }

    private void closeFile() {
        if (file != null) {
            file.close();
            file = null;
            fileName = null;
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closeFile();
        } finally {
            lock.unlock();
        }
    }
}
