package dev.muster.kafka;

import dev.muster.kafka.api.BadRequestException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/**
 * Reads the fields of a request, up to a limit. A frame of 100 MiB could otherwise ask for as many small objects as it
 * has bytes, each many times larger than the bytes it was read from.
 */
final class FrameReader extends ByteBufferAccessor {
    /**
     * The most fields of a request. A field can cost some hundred bytes, so a request takes a small part of the heap.
     */
    private static final int FIELDS_MAX = Math.clamp(Runtime.getRuntime().maxMemory() / 1_024, 50_000, 4_000_000);

    private int fields;

    FrameReader(ByteBuffer frame) {
        super(frame);
    }

    @Override
    public int readUnsignedVarint() {
        count();
        return super.readUnsignedVarint();
    }

    @Override
    public short readShort() {
        count();
        return super.readShort();
    }

    @Override
    public int readInt() {
        count();
        return super.readInt();
    }

    /** The most entries that a list may claim: readers check it before they allocate the list. */
    @Override
    public int remaining() {
        return Math.min(super.remaining(), FIELDS_MAX - fields);
    }

    private void count() {
        if (++fields > FIELDS_MAX) {
            throw new BadRequestException("it has more than " + FIELDS_MAX + " fields");
        }
    }
}
