package dev.muster.kafka;

import dev.muster.kafka.api.BadRequestException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/**
 * Reads the fields of a request, but not endlessly many: a frame of a hundred megabytes could otherwise ask for as many
 * small objects as it has bytes, each many times as large as what it was read from.
 */
final class FrameReader extends ByteBufferAccessor {
    /** A field can cost some hundred bytes, so that a request takes a small part of the heap. */
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

    /** Readers refuse a list that claims to have more entries than this, before they make room for them. */
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
