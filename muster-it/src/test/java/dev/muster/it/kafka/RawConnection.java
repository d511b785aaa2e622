package dev.muster.it.kafka;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * A connection that sends exactly the given requests. Answers are futures, because a join or a sync may wait for long.
 */
final class RawConnection implements AutoCloseable {
    private record Awaited(int id, ApiKeys api, short version, CompletableFuture<ApiMessage> answer) {}

    private final Socket socket = new Socket();
    private final String client;
    private final BlockingQueue<Awaited> awaited = new LinkedBlockingQueue<>();
    private int lastId;

    RawConnection(int port, String client) throws IOException {
        this.client = client;
        InetAddress loopback = InetAddress.getLoopbackAddress();
        socket.bind(new InetSocketAddress(loopback, 0));
        if (socket.getLocalPort() == port) {
            // Without a listener a socket can connect to itself.
            socket.close();
            throw new IOException("the port of the server is free");
        }
        socket.connect(new InetSocketAddress(loopback, port));
        socket.setTcpNoDelay(true);
        Thread.ofVirtual().name("answers to " + client).start(this::readAnswers);
    }

    CompletableFuture<ApiMessage> send(ApiMessage body, int version) throws IOException {
        ApiKeys api = ApiKeys.forId(body.apiKey());
        Awaited request = new Awaited(++lastId, api, (short) version, new CompletableFuture<>());
        awaited.add(request);
        socket.getOutputStream().write(frame(request, body));
        return request.answer();
    }

    private byte[] frame(Awaited request, ApiMessage body) {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(request.api().id)
                .setRequestApiVersion(request.version())
                .setCorrelationId(request.id())
                .setClientId(client);
        ByteBuffer head = MessageUtil.toByteBufferAccessor(
                        header, request.api().requestHeaderVersion(request.version()))
                .buffer();
        ByteBuffer rest =
                MessageUtil.toByteBufferAccessor(body, request.version()).buffer();
        ByteBuffer all = ByteBuffer.allocate(Integer.BYTES + head.remaining() + rest.remaining());
        return all.putInt(head.remaining() + rest.remaining())
                .put(head)
                .put(rest)
                .array();
    }

    private void readAnswers() {
        try {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                Awaited request = awaited.remove();
                request.answer().complete(parse(request, ByteBuffer.wrap(frame)));
            }
        } catch (IOException | RuntimeException e) {
            // Waiting requests fail; without any, the connection was closed.
            awaited.forEach(request -> request.answer().completeExceptionally(e));
        }
    }

    private static ApiMessage parse(Awaited request, ByteBuffer frame) throws IOException {
        int id = frame.getInt();
        if (id != request.id()) {
            throw new IOException("the answer to " + id + " came, not that to " + request.id());
        }
        if (request.api().responseHeaderVersion(request.version()) > 0 && frame.get() != 0) {
            throw new IOException("tagged fields in the header of an answer");
        }
        ApiMessage body = ApiMessageType.fromApiKey(request.api().id).newResponse();
        body.read(new ByteBufferAccessor(frame), request.version());
        if (frame.hasRemaining()) {
            throw new IOException(frame.remaining() + " bytes follow an answer");
        }
        return body;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
