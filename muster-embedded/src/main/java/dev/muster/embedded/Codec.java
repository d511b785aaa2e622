package dev.muster.embedded;

import dev.muster.core.MusterException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * Turns keys or values into bytes and back. Both methods return null for null: a null key means "no key", a null value
 * is a tombstone. Must be thread-safe.
 *
 * <pre>{@code
 * Codec<Order> orders = Codec.of(order -> json.writeBytes(order), bytes -> json.read(bytes, Order.class));
 * }</pre>
 */
public interface Codec<T> {
    /**
     * Bytes, unchanged. A producer has copied them when {@code send} returns, so the caller may change the array then.
     * A reader returns new arrays.
     */
    Codec<byte[]> BYTES = new Codec<>() {
        @Override
        public byte[] encode(byte[] value) {
            return value;
        }

        @Override
        public byte[] decode(byte[] bytes) {
            return bytes;
        }
    };

    /** Text as UTF-8. */
    Codec<String> STRING =
            of(text -> text.getBytes(StandardCharsets.UTF_8), bytes -> new String(bytes, StandardCharsets.UTF_8));

    /** 8 bytes, big-endian, as Kafka's LongSerializer writes them. */
    Codec<Long> LONG = of(
            number -> ByteBuffer.allocate(Long.BYTES).putLong(number).array(),
            bytes -> sized(bytes, Long.BYTES, "a LONG").getLong());

    /** 4 bytes, big-endian, as Kafka's IntegerSerializer writes them. */
    Codec<Integer> INT = of(
            number -> ByteBuffer.allocate(Integer.BYTES).putInt(number).array(),
            bytes -> sized(bytes, Integer.BYTES, "an INT").getInt());

    /** The 36 characters of a UUID, as Kafka's UUIDSerializer writes them. */
    Codec<java.util.UUID> UUID = of(
            uuid -> uuid.toString().getBytes(StandardCharsets.UTF_8),
            bytes -> java.util.UUID.fromString(new String(bytes, StandardCharsets.UTF_8)));

    /** Encodes a key or a value. */
    byte[] encode(T value);

    /**
     * Decodes a key or a value. Throws any unchecked exception if the bytes are not of this kind; the reader adds the
     * offset of the record.
     */
    T decode(byte[] bytes);

    /** A codec of two functions; they are never called with null. */
    static <T> Codec<T> of(Function<? super T, byte[]> encode, Function<byte[], ? extends T> decode) {
        return new Codec<>() {
            @Override
            public byte[] encode(T value) {
                return value == null ? null : encode.apply(value);
            }

            @Override
            public T decode(byte[] bytes) {
                return bytes == null ? null : decode.apply(bytes);
            }
        };
    }

    private static ByteBuffer sized(byte[] bytes, int size, String what) {
        if (bytes.length != size) {
            throw new MusterException(what + " has " + size + " bytes, this value has " + bytes.length);
        }
        return ByteBuffer.wrap(bytes);
    }
}
