package dev.muster.store.file;

import dev.muster.disk.Disk;
import dev.muster.disk.HeapPage;
import dev.muster.disk.NoRoomException;
import dev.muster.disk.Page;
import dev.muster.disk.PageStamp;
import dev.muster.store.file.log.Waker;
import dev.muster.store.file.room.DiskPressure;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The page by which the processes of a directory wake each other, in the life of one open store. A process without room
 * for the page has one in its own memory, and wakes no other process.
 */
final class WakePage {
    private static final System.Logger LOG = System.getLogger(WakePage.class.getName());

    private final Disk disk;
    private final Path file;
    private final DiskPressure pressure;
    private final Waker waker;
    /** True if there was no room for the page that all processes share. */
    private volatile boolean alone;

    WakePage(Disk disk, Path file, DiskPressure pressure, boolean readOnly, int processHash) throws IOException {
        this.disk = disk;
        this.file = file;
        this.pressure = pressure;
        this.waker = new Waker(disk.machine(), readOnly ? readable() : sharedIfRoom(), processHash);
    }

    private Page readable() throws IOException {
        return disk.exists(file) && PageStamp.isPage(disk, file)
                ? disk.pageForReading(file)
                : new HeapPage(new byte[Waker.PAGE_SIZE]);
    }

    private Page sharedIfRoom() throws IOException {
        try {
            return shared();
        } catch (NoRoomException e) {
            // Without the page this process looks once a second. Housekeeping creates the page when there is room.
            LOG.log(System.Logger.Level.DEBUG, "no room for {0}: {1}", file, e.getMessage());
            alone = true;
            return new HeapPage(new byte[Waker.PAGE_SIZE]);
        }
    }

    private Page shared() throws IOException {
        return pressure.evenWhenFull(() -> PageStamp.open(disk, file, new byte[Waker.PAGE_SIZE]));
    }

    /** The waker that uses this page. */
    Waker waker() {
        return waker;
    }

    /** True if the page in use is not the one that has the name. False while there was no room for a page. */
    boolean isReplaced() throws IOException {
        return !alone && !waker.isInPlace(disk, file);
    }

    /** Goes over to the page that has the name. The page is created if there is none. */
    void renew() throws IOException {
        waker.use(shared());
    }

    /** Creates the page if there was no room for it. */
    void createIfMissing() throws IOException {
        if (alone) {
            waker.use(shared());
            alone = false;
        }
    }
}
