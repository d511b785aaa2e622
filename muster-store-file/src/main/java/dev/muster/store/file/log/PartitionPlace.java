package dev.muster.store.file.log;

import dev.muster.disk.FileIdentity;
import dev.muster.store.file.log.recovery.ControlPage;
import dev.muster.store.file.log.recovery.Recovery;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Checks that the folder, the control page and the segments of an open partition still have their names. A page that
 * lost its name is replaced by the page that has the name, or by a new one that recovery creates. Safe for many
 * threads.
 */
final class PartitionPlace {
    private static final System.Logger LOG = System.getLogger(PartitionPlace.class.getName());

    private final PartitionState log;
    private final Path page;
    private final FileIdentity folder;
    /** The count of the partition's wake-up word at the last check. */
    private volatile long checkedCount;

    PartitionPlace(PartitionState log) throws IOException {
        this.log = log;
        this.page = ControlPage.file(log.key().folder(), log.env().bootId());
        this.folder = log.env().disk().identity(log.key().folder());
        this.checkedCount = wakeCount();
    }

    private long wakeCount() {
        return log.env().waker().count(Waker.word(log.key()));
    }

    /** Checks if the partition changed since the last check; costs nothing if not. */
    void checkIfChanged(SegmentSync sync) throws IOException {
        long now = wakeCount();
        if (now == checkedCount) {
            return;
        }
        log.lookAtTopic();
        checkFolder();
        sync.checkInPlace();
        if (!pageIsInPlace()) {
            moveToPage(sync);
        }
        checkedCount = now;
    }

    /** Throws if the folder was removed or replaced. */
    void checkFolder() throws IOException {
        FileIdentity now = identity(log.key().folder());
        if (now == null) {
            log.restoreFolder();
            now = identity(log.key().folder());
        }
        if (!folder.equals(now)) {
            throw log.replaced(log.key().folder() + (now == null ? " was removed" : " was replaced"));
        }
    }

    private FileIdentity identity(Path path) throws IOException {
        try {
            return log.env().disk().identity(path);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** True if the control page in use is whole and has its name. */
    boolean pageIsInPlace() throws IOException {
        return log.control().isInPlace(log.env().disk(), page);
    }

    /**
     * Changes to the page that has the name. If that page has lower ends than the old one, or is missing, recovery
     * reads the log: the log has everything that processes announced on different pages. No append and no sync of this
     * process runs meanwhile.
     */
    void moveToPage(SegmentSync sync) throws IOException {
        sync.exclusively(() -> log.writer().exclusively(() -> {
            if (!log.hasLostFiles() && !log.isDeleted() && !pageIsInPlace()) {
                checkFolder();
                sync.checkInPlace();
                move();
            }
        }));
    }

    private void move() throws IOException {
        ControlPage old = log.control();
        // Read before recovery reads the log, so that the log contains all of this.
        long written = old.writtenEnd();
        long durable = old.durableEnd();
        ControlPage now = ControlPage.openExisting(log.env().disk(), page, false);
        if (now == null || now.writtenEnd() < written || now.durableEnd() < durable) {
            Recovery.Result found = log.recovery().run();
            now = ControlPage.create(log.env().disk(), page, found.end(), found.end(), found.start());
        }
        if (now.writtenEnd() < written && old.isValid()) {
            throw log.replaced("the log in " + log.key().folder() + " was replaced by an older one");
        }
        if (old.isValid()) {
            now.takeOver(old);
        }
        LOG.log(
                System.Logger.Level.INFO,
                "the control page of {0} was removed or replaced: using the new one",
                log.key());
        log.use(now);
    }
}
