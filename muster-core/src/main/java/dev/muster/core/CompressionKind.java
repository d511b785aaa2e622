package dev.muster.core;

import java.util.Locale;

/** The compression of a producer's batches. The id is the one in the attributes of a Kafka record batch. */
public enum CompressionKind {
    NONE(0),
    GZIP(1),
    SNAPPY(2),
    LZ4(3),
    ZSTD(4);

    private final int id;

    CompressionKind(int id) {
        this.id = id;
    }

    public int id() {
        return id;
    }

    public static CompressionKind parse(String text) {
        try {
            return valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new MusterException("unknown compression \"" + text + "\"", "use none, gzip, snappy, lz4 or zstd", e);
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
