package dev.muster.it.kafka;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;

/** Many connections of one thread, with raw bytes. */
final class Crowd implements AutoCloseable {
    private static final int PATIENCE_MS = 180_000;

    private final InetSocketAddress server;
    private final List<SocketChannel> channels = new ArrayList<>();

    Crowd(int port) {
        this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Opens a connection, which is closed with the crowd. */
    SocketChannel join() throws IOException {
        SocketChannel channel = SocketChannel.open(server);
        channels.add(channel);
        return channel;
    }

    /** Opens a connection with the smallest possible receive buffer. */
    SocketChannel joinAsNonReader() throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(java.net.StandardSocketOptions.SO_RCVBUF, 4_096);
        channel.connect(server);
        channels.add(channel);
        return channel;
    }

    int size() {
        return channels.size();
    }

    static byte[] frame(ApiMessage body, int version) {
        ApiKeys api = ApiKeys.forId(body.apiKey());
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion((short) version)
                .setCorrelationId(1)
                .setClientId("crowd");
        ByteBuffer head = MessageUtil.toByteBufferAccessor(header, api.requestHeaderVersion((short) version))
                .buffer();
        ByteBuffer rest =
                MessageUtil.toByteBufferAccessor(body, (short) version).buffer();
        ByteBuffer all = ByteBuffer.allocate(Integer.BYTES + head.remaining() + rest.remaining());
        return all.putInt(head.remaining() + rest.remaining())
                .put(head)
                .put(rest)
                .array();
    }

    static void say(SocketChannel channel, byte... bytes) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        while (all.hasRemaining()) {
            channel.write(all);
        }
    }

    /** Sends an ApiVersions request, which every server answers. */
    static void askVersions(SocketChannel channel) throws IOException {
        say(channel, frame(new ApiVersionsRequestData(), 0));
        hear(channel);
    }

    /** The next answer, without its length field. */
    static ByteBuffer hear(SocketChannel channel) throws IOException {
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
        fill(channel, length);
        ByteBuffer answer = ByteBuffer.allocate(length.getInt());
        fill(channel, answer);
        return answer;
    }

    private static void fill(SocketChannel channel, ByteBuffer into) throws IOException {
        channel.socket().setSoTimeout(PATIENCE_MS);
        while (into.hasRemaining()) {
            int count = channel.socket()
                    .getInputStream()
                    .read(into.array(), into.arrayOffset() + into.position(), into.remaining());
            if (count < 0) {
                throw new EOFException("the server hung up");
            }
            into.position(into.position() + count);
        }
        into.flip();
    }

    /** True if the server closes the connection within this time; earlier answers are read and dropped. */
    static boolean isEnded(SocketChannel channel, Duration within) throws IOException {
        channel.socket().setSoTimeout((int) within.toMillis());
        byte[] sink = new byte[64 << 10];
        try {
            while (true) {
                if (channel.socket().getInputStream().read(sink) < 0) {
                    return true;
                }
            }
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }
}
