package dev.muster.embedded;

import dev.muster.core.Header;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A record to send, for records that need more than a key and a value.
 *
 * <pre>{@code
 * producer.send(Message.of("cust-7", order).withHeader("trace", id).withTimestamp(order.placedAt()));
 * }</pre>
 *
 * @param partition number of the partition; null if the key, or without a key the producer, shall choose it
 * @param timestamp time of the record; null for the time of sending
 * @param key key of the record; null for none
 * @param value value of the record; null for a tombstone
 */
public record Message<K, V>(Integer partition, Instant timestamp, K key, V value, List<Header> headers) {
    public Message {
        if (partition != null && partition < 0) {
            throw new IllegalArgumentException("a partition number must not be negative: " + partition);
        }
        headers = List.copyOf(headers);
    }

    public static <K, V> Message<K, V> of(V value) {
        return of(null, value);
    }

    public static <K, V> Message<K, V> of(K key, V value) {
        return new Message<>(null, null, key, value, List.of());
    }

    public Message<K, V> withPartition(int number) {
        return new Message<>(number, timestamp, key, value, headers);
    }

    public Message<K, V> withTimestamp(Instant time) {
        return new Message<>(partition, Objects.requireNonNull(time, "time"), key, value, headers);
    }

    /** Adds a header. Several headers may have the same key. */
    public Message<K, V> withHeader(String name, byte[] content) {
        List<Header> more = new ArrayList<>(headers);
        more.add(new Header(name, content));
        return withHeaders(more);
    }

    public Message<K, V> withHeaders(List<Header> all) {
        return new Message<>(partition, timestamp, key, value, all);
    }
}
