package dev.muster.core.group.model;

import java.util.Arrays;
import java.util.Base64;

/** Bytes that only the clients understand. The group keeps, compares and passes them on. Immutable. */
public final class Opaque {
    public static final Opaque EMPTY = new Opaque(new byte[0]);

    private final byte[] bytes;

    private Opaque(byte[] bytes) {
        this.bytes = bytes;
    }

    public static Opaque of(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new Opaque(bytes.clone());
    }

    /** @throws IllegalArgumentException if the text is not Base64 */
    public static Opaque ofBase64(String text) {
        return of(Base64.getDecoder().decode(text));
    }

    public byte[] toBytes() {
        return bytes.clone();
    }

    public String toBase64() {
        return Base64.getEncoder().encodeToString(bytes);
    }

    public boolean isEmpty() {
        return bytes.length == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Opaque that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
