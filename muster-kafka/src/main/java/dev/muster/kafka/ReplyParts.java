package dev.muster.kafka;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** A response as the stretches of memory to be sent: what is small is written into one of them, records stay put. */
final class ReplyParts extends ByteBufferAccessor {
    private static final int LENGTH_BYTES = 4;

    private final ByteBuffer small;
    private final List<ByteBuffer> parts = new ArrayList<>();
    private int begun;

    private ReplyParts(ByteBuffer small) {
        super(small);
        this.small = small;
    }

    /** The frame of a response, its length in front. */
    static ByteBuffer[] of(RequestHead head, ApiMessage body) {
        return of(head.correlationId(), head.api().responseHeaderVersion(head.version()), body, head.version());
    }

    static ByteBuffer[] of(int correlationId, short headerVersion, ApiMessage body, short version) {
        ResponseHeaderData header = new ResponseHeaderData().setCorrelationId(correlationId);
        ObjectSerializationCache cache = new ObjectSerializationCache();
        MessageSizeAccumulator size = new MessageSizeAccumulator();
        header.addSize(size, cache, headerVersion);
        body.addSize(size, cache, version);
        ReplyParts parts = new ReplyParts(ByteBuffer.allocate(LENGTH_BYTES + size.sizeExcludingZeroCopy()));
        parts.writeInt(size.totalSize());
        header.write(parts, cache, headerVersion);
        body.write(parts, cache, version);
        parts.endPart();
        return parts.parts.toArray(ByteBuffer[]::new);
    }

    @Override
    public void writeRecords(BaseRecords records) {
        if (records.sizeInBytes() == 0) {
            return;
        }
        endPart();
        parts.add(((MemoryRecords) records).buffer());
    }

    /** A field of bytes, which counts as records do where sizes are summed up. */
    @Override
    public void writeByteBuffer(ByteBuffer bytes) {
        endPart();
        parts.add(bytes.duplicate());
    }

    private void endPart() {
        if (small.position() > begun) {
            parts.add(small.duplicate().flip().position(begun));
            begun = small.position();
        }
    }
}
