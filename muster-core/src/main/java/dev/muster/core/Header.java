package dev.muster.core;

import java.util.Arrays;
import java.util.Objects;

/**
 * A header of a record. Keys may repeat, and their order is kept. The array is not copied: do not change it.
 *
 * @param key the name
 * @param value the bytes; null, which is not the same as empty, is allowed
 */
public record Header(String key, byte[] value) {
    public Header {
        Objects.requireNonNull(key, "the key of a header");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Header(String otherKey, byte[] otherValue)
                && key.equals(otherKey)
                && Arrays.equals(value, otherValue);
    }

    @Override
    public int hashCode() {
        return 31 * key.hashCode() + Arrays.hashCode(value);
    }

    @Override
    public String toString() {
        return key + "=" + (value == null ? "null" : value.length + " bytes");
    }
}
