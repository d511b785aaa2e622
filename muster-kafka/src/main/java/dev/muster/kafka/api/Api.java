package dev.muster.kafka.api;

import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Readable;

/**
 * One API of the protocol, for all connections at once.
 *
 * @param <T> the body of its requests
 */
public abstract class Api<T extends ApiMessage> {
    private final Serves serves = getClass().getAnnotation(Serves.class);

    public final ApiKeys key() {
        return serves.api();
    }

    public final Serves serves() {
        return serves;
    }

    public final boolean serves(short version) {
        return version >= serves.from() && version <= serves.to();
    }

    public final short advertisedFrom() {
        return (short) (serves.advertisedFrom() < 0 ? serves.from() : serves.advertisedFrom());
    }

    /** Reads the body of a request in a version that is served. */
    public abstract T read(Readable bytes, short version);

    /**
     * Begins a request. Requests of one connection are begun one after the other, in order. Work that needs this order
     * happens here; work that may take long belongs into the {@link PendingResponse}.
     */
    public abstract PendingResponse begin(Request<T> request);
}
