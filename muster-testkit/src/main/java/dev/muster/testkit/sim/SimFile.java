package dev.muster.testkit.sim;

import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import java.io.IOException;

/** An open file of a simulated process. */
final class SimFile implements DiskFile {
    private static final long SYNC_NANOS = 100_000;

    private final SimProcess process;
    private final DiskFile file;

    SimFile(SimProcess process, DiskFile file) {
        this.process = process;
        this.file = file;
    }

    @Override
    public int read(long position, byte[] into, int offset, int length) throws IOException {
        process.point(SimDisk.CALL);
        return file.read(position, into, offset, length);
    }

    @Override
    public long append(byte[] bytes, int offset, int length) throws IOException {
        process.point(SimDisk.HOLDING);
        long end = file.append(bytes, offset, length);
        process.point(SimDisk.HOLDING);
        return end;
    }

    @Override
    public long size() throws IOException {
        process.point(SimDisk.CALL);
        return file.size();
    }

    @Override
    public FileIdentity identity() throws IOException {
        process.point(SimDisk.CALL);
        return file.identity();
    }

    @Override
    public void sync() throws IOException {
        process.point(SimDisk.CHANGE);
        process.simulation().passes(SYNC_NANOS);
        file.sync();
        process.point(SimDisk.CHANGE);
    }

    @Override
    public boolean tryLock() throws IOException {
        process.point(SimDisk.CHANGE);
        boolean had = file.tryLock();
        process.point(had ? SimDisk.HOLDING : SimDisk.CHANGE);
        return had;
    }

    @Override
    public void unlock() throws IOException {
        process.point(SimDisk.CHANGE);
        file.unlock();
    }

    @Override
    public void close() {
        file.close();
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
