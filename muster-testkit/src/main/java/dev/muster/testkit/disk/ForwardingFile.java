package dev.muster.testkit.disk;

import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import java.io.IOException;

/** Forwards each call to another open file. A subclass changes single calls. */
public abstract class ForwardingFile implements DiskFile {
    protected final DiskFile file;

    protected ForwardingFile(DiskFile file) {
        this.file = file;
    }

    @Override
    public int read(long position, byte[] into, int offset, int length) throws IOException {
        return file.read(position, into, offset, length);
    }

    @Override
    public long append(byte[] bytes, int offset, int length) throws IOException {
        return file.append(bytes, offset, length);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public FileIdentity identity() throws IOException {
        return file.identity();
    }

    @Override
    public void sync() throws IOException {
        file.sync();
    }

    @Override
    public boolean tryLock() throws IOException {
        return file.tryLock();
    }

    @Override
    public void unlock() throws IOException {
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
