package dev.muster.kafka;

import dev.muster.kafka.config.HostAndPort;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.function.BiFunction;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.Readable;

/** A client that sends exactly the given bytes. */
public final class WireClient implements AutoCloseable {
    private static final int PATIENCE_MS = 180_000;

    private final Socket socket = new Socket();
    private final DataInputStream in;
    private int correlationId;

    public WireClient(HostAndPort server) throws IOException {
        socket.connect(new InetSocketAddress(server.host(), server.port()), PATIENCE_MS);
        socket.setSoTimeout(PATIENCE_MS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
    }

    /** A frame with its length, without sending it. */
    public static byte[] frame(int correlationId, ApiMessage body, int version) {
        ApiKeys api = ApiKeys.forId(body.apiKey());
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion((short) version)
                .setCorrelationId(correlationId)
                .setClientId("wire");
        ByteBuffer head = MessageUtil.toByteBufferAccessor(header, api.requestHeaderVersion((short) version))
                .buffer();
        ByteBuffer rest =
                MessageUtil.toByteBufferAccessor(body, (short) version).buffer();
        ByteBuffer all = ByteBuffer.allocate(4 + head.remaining() + rest.remaining());
        return all.putInt(head.remaining() + rest.remaining())
                .put(head)
                .put(rest)
                .array();
    }

    /**
     * Sends a request.
     *
     * @return its correlation id
     */
    public int send(ApiMessage body, int version) throws IOException {
        int id = ++correlationId;
        sendBytes(frame(id, body, version));
        return id;
    }

    public void sendBytes(byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** The next frame, without its length. */
    public ByteBuffer receive() throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        return ByteBuffer.wrap(frame);
    }

    /** The next response, which must belong to this request. */
    public <T> T receive(int id, ApiKeys api, int version, BiFunction<Readable, Short, T> reader) throws IOException {
        ByteBuffer frame = receive();
        int said = frame.getInt();
        if (said != id) {
            throw new IOException("the response to request " + said + " came, not that to " + id);
        }
        if (api.responseHeaderVersion((short) version) > 0) {
            int tags = frame.get();
            if (tags != 0) {
                throw new IOException(tags + " tagged fields");
            }
        }
        T body = reader.apply(new ByteBufferAccessor(frame), (short) version);
        if (frame.hasRemaining()) {
            throw new IOException(frame.remaining() + " bytes after the end of the response");
        }
        return body;
    }

    /** True if the server ends the connection without sending more. */
    public boolean isClosedByServer() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException | EOFException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
