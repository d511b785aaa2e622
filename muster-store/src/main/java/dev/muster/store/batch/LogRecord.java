package dev.muster.store.batch;

import dev.muster.core.Header;
import java.util.Arrays;
import java.util.List;

/**
 * One record of a log. Arrays are not copied: do not change them.
 *
 * @param timestamp milliseconds since 1970
 * @param key the key, or null if the record has no key
 * @param value the value, or null for a tombstone
 */
public record LogRecord(long offset, long timestamp, byte[] key, byte[] value, List<Header> headers) {
    @Override
    public boolean equals(Object other) {
        return other instanceof LogRecord that
                && offset == that.offset
                && timestamp == that.timestamp
                && Arrays.equals(key, that.key)
                && Arrays.equals(value, that.value)
                && headers.equals(that.headers);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(offset) + Arrays.hashCode(value);
    }

    @Override
    public String toString() {
        return "record " + offset + " at " + timestamp + ", key " + size(key) + ", value " + size(value) + ", headers "
                + headers;
    }

    private static String size(byte[] bytes) {
        return bytes == null ? "null" : bytes.length + " bytes";
    }
}
