package dev.muster.kafka;

import dev.muster.kafka.api.RequestHead;
import dev.muster.kafka.api.records.FileRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * A response in the parts that are sent: small fields are written into one piece of memory, records stay where they
 * are.
 */
final class ResponseParts extends ByteBufferAccessor {
    private static final int LENGTH_BYTES = 4;
    /** The most bytes of one write: the JDK copies them through memory of the thread, and keeps that memory. */
    private static final int PIECE_BYTES_MAX = 128 << 10;

    private final ByteBuffer small;
    private final List<Part> parts = new ArrayList<>();
    private int begun;

    private sealed interface Part {
        record Memory(ByteBuffer bytes) implements Part {}

        record File(FileRecords records) implements Part {}
    }

    private ResponseParts(ByteBuffer small) {
        super(small);
        this.small = small;
    }

    /** The frame of a response, with its length in front. */
    static ResponseParts of(RequestHead head, ApiMessage body) {
        short headerVersion = head.api().responseHeaderVersion(head.version());
        ResponseHeaderData header = new ResponseHeaderData().setCorrelationId(head.correlationId());
        ObjectSerializationCache cache = new ObjectSerializationCache();
        MessageSizeAccumulator size = new MessageSizeAccumulator();
        header.addSize(size, cache, headerVersion);
        body.addSize(size, cache, head.version());
        ResponseParts parts = new ResponseParts(ByteBuffer.allocate(LENGTH_BYTES + size.sizeExcludingZeroCopy()));
        parts.writeInt(size.totalSize());
        header.write(parts, cache, headerVersion);
        body.write(parts, cache, head.version());
        parts.endSmall();
        return parts;
    }

    @Override
    public void writeRecords(BaseRecords records) {
        if (records.sizeInBytes() == 0) {
            return;
        }
        endSmall();
        parts.add(
                records instanceof FileRecords file
                        ? new Part.File(file)
                        : new Part.Memory(((MemoryRecords) records).buffer()));
    }

    /** A field of bytes. The computed size counts it as it counts records. */
    @Override
    public void writeByteBuffer(ByteBuffer bytes) {
        endSmall();
        parts.add(new Part.Memory(bytes.duplicate()));
    }

    private void endSmall() {
        if (small.position() > begun) {
            parts.add(new Part.Memory(small.duplicate().flip().position(begun)));
            begun = small.position();
        }
    }

    /**
     * Sends everything. The channel blocks, so each call sends some bytes or fails.
     *
     * @param moved called whenever the client has taken some bytes
     */
    void sendTo(GatheringByteChannel channel, Runnable moved) throws IOException {
        List<ByteBuffer> memory = new ArrayList<>();
        for (Part part : parts) {
            switch (part) {
                case Part.Memory(ByteBuffer bytes) -> memory.add(bytes);
                case Part.File(FileRecords records) -> {
                    send(memory, channel, moved);
                    memory.clear();
                    send(records, channel, moved);
                }
            }
        }
        send(memory, channel, moved);
    }

    private static void send(List<ByteBuffer> memory, GatheringByteChannel channel, Runnable moved) throws IOException {
        ByteBuffer[] buffers = memory.toArray(ByteBuffer[]::new);
        int first = 0;
        while (first < buffers.length) {
            sendPiece(buffers, first, channel);
            moved.run();
            while (first < buffers.length && !buffers[first].hasRemaining()) {
                first++;
            }
        }
    }

    private static void sendPiece(ByteBuffer[] buffers, int first, GatheringByteChannel channel) throws IOException {
        int count = 0;
        int bytes = 0;
        while (first + count < buffers.length && bytes + buffers[first + count].remaining() <= PIECE_BYTES_MAX) {
            bytes += buffers[first + count].remaining();
            count++;
        }
        if (count > 0) {
            channel.write(buffers, first, count);
            return;
        }
        ByteBuffer large = buffers[first];
        int end = large.limit();
        large.limit(large.position() + PIECE_BYTES_MAX);
        channel.write(large);
        large.limit(end);
    }

    private static void send(FileRecords records, GatheringByteChannel channel, Runnable moved) throws IOException {
        int sent = 0;
        while (sent < records.sizeInBytes()) {
            long count = records.source().transferTo(sent, channel);
            if (count <= 0) {
                // The client has not taken all bytes yet. A transfer does not wait for it, but a write does.
                count = records.source().transferTo(sent, new OnePiece(channel));
            }
            if (count <= 0) {
                // The length was sent already, so the only way to report missing bytes is to end the connection.
                throw new IOException("a log file became shorter while it was sent");
            }
            sent += (int) count;
            moved.run();
        }
    }

    /** Takes the first piece that is written to it, and refuses the rest. */
    private static final class OnePiece implements WritableByteChannel {
        private final WritableByteChannel target;
        private boolean taken;

        OnePiece(WritableByteChannel target) {
            this.target = target;
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            if (taken) {
                return 0;
            }
            taken = true;
            int size = bytes.remaining();
            while (bytes.hasRemaining()) {
                target.write(bytes);
            }
            return size;
        }

        @Override
        public boolean isOpen() {
            return target.isOpen();
        }

        @Override
        public void close() throws IOException {
            target.close();
        }
    }
}
