package dev.muster.store.file.log;

import dev.muster.disk.FileIdentity;
import dev.muster.store.file.log.recovery.ControlPage;
import dev.muster.store.file.log.recovery.Recovery;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Looks whether the folder, the control page and the segments of an open partition still have their names. A page that
 * lost its name is left for the one that has it, or for a new one that recovery makes. Safe for many threads.
 */
final class PartitionPlace {
    private static final System.Logger LOG = System.getLogger(PartitionPlace.class.getName());

    private final PartitionState log;
    private final Path page;
    private final FileIdentity folder;
    /** Publications of the wake word that the last look has seen. */
    private volatile long stirred;

    PartitionPlace(PartitionState log) throws IOException {
        this.log = log;
        this.page = ControlPage.file(log.key().folder(), log.env().bootId());
        this.folder = log.env().disk().identity(log.key().folder());
        this.stirred = stirs();
    }

    private long stirs() {
        return log.env().waker().count(Waker.word(log.key()));
    }

    /** Costs nothing unless the partition changed since the last look. */
    void lookIfStirred(SegmentSync sync) throws IOException {
        long now = stirs();
        if (now == stirred) {
            return;
        }
        log.lookAtTopic();
        checkFolder();
        sync.checkInPlace();
        if (!pageIsInPlace()) {
            moveToPage(sync);
        }
        stirred = now;
    }

    /** Throws when the folder was removed or replaced. */
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
     * Goes over to the page that has the name. Where it knows less than the old one, or there is none, recovery reads
     * the log: what two processes wrote to different pages is all there. No append and no sync of this process runs
     * meanwhile.
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
        // Before recovery reads the log: all of this is in it.
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
