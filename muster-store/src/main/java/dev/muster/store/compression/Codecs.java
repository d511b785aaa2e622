package dev.muster.store.compression;

import dev.muster.core.CompressionKind;
import dev.muster.core.CompressionUnavailableException;

/** The codecs of this process. Safe for many threads. */
final class Codecs {
    private static final CompressionCodec GZIP = new GzipCodec();
    private static final OptionalCodec SNAPPY = new OptionalCodec(
            CompressionKind.SNAPPY,
            "org.xerial.snappy:snappy-java",
            "snappy.java",
            "org.xerial.snappy.Snappy",
            () -> new SnappyCodec());
    private static final OptionalCodec LZ4 = new OptionalCodec(
            CompressionKind.LZ4,
            "at.yawk.lz4:lz4-java",
            "org.lz4.java",
            "net.jpountz.lz4.LZ4Factory",
            () -> new Lz4Codec());
    private static final OptionalCodec ZSTD = new OptionalCodec(
            CompressionKind.ZSTD,
            "com.github.luben:zstd-jni",
            "com.github.luben.zstd_jni",
            "com.github.luben.zstd.Zstd",
            () -> new ZstdCodec());

    private Codecs() {}

    /**
     * The codec of a compression.
     *
     * @throws CompressionUnavailableException if its library is missing or does not work here
     */
    static CompressionCodec of(CompressionKind kind) {
        return switch (kind) {
            case NONE -> throw new IllegalArgumentException("no compression has no codec");
            case GZIP -> GZIP;
            case SNAPPY -> SNAPPY.get();
            case LZ4 -> LZ4.get();
            case ZSTD -> ZSTD.get();
        };
    }

    /**
     * Checks that the library of a compression is there, without loading its native part.
     *
     * @throws CompressionUnavailableException if the library is missing
     */
    static void require(CompressionKind kind) {
        switch (kind) {
            case NONE, GZIP -> {}
            case SNAPPY -> SNAPPY.require();
            case LZ4 -> LZ4.require();
            case ZSTD -> ZSTD.require();
        }
    }
}
