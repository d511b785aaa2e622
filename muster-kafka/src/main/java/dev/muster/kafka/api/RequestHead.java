package dev.muster.kafka.api;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/**
 * The header of a request.
 *
 * <pre>
 *   0  api key         2
 *   2  api version     2
 *   4  correlation id  4
 *   8  client id           a nullable string, and tagged fields in newer versions
 * </pre>
 *
 * @param clientId the client's name for itself; empty if it gave none
 */
public record RequestHead(ApiKeys api, short version, int correlationId, String clientId) {
    public static final int FIXED_BYTES = 8;

    public static short key(ByteBuffer frame) {
        return frame.getShort(frame.position());
    }

    public static short version(ByteBuffer frame) {
        return frame.getShort(frame.position() + 2);
    }

    public static int correlationId(ByteBuffer frame) {
        return frame.getInt(frame.position() + 4);
    }

    /** Reads the header in a version that the API has; leaves the reader at the body. */
    public static RequestHead read(ApiKeys api, short version, Readable frame) {
        RequestHeaderData data = new RequestHeaderData(frame, api.requestHeaderVersion(version));
        return new RequestHead(api, version, data.correlationId(), data.clientId() == null ? "" : data.clientId());
    }
}
