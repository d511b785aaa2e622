package dev.muster.testkit.forward;

import dev.muster.store.read.BatchRegion;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;

/** A reader that passes every call on to another reader. */
public class ForwardingReader implements LogReader {
    private final LogReader target;

    public ForwardingReader(LogReader target) {
        this.target = target;
    }

    @Override
    public long position() {
        return target.position();
    }

    @Override
    public void seek(long offset) {
        target.seek(offset);
    }

    @Override
    public LogSlice read(int bytesMax) {
        return target.read(bytesMax);
    }

    @Override
    public BatchRegion readRegion(int bytesMax) {
        return target.readRegion(bytesMax);
    }

    @Override
    public long memoryBytes() {
        return target.memoryBytes();
    }

    @Override
    public void close() {
        target.close();
    }
}
