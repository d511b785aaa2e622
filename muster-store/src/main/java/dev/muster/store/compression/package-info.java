/**
 * Compression of the bodies of record batches, byte-compatible with Kafka clients.
 *
 * <p>Start at {@link dev.muster.store.compression.Compression}. gzip comes with the JDK. The libraries of snappy, lz4
 * and zstd are optional dependencies: {@link dev.muster.store.compression.OptionalCodec} finds them at run time, and
 * this is the only package that may name their types. The frames around the blocks of snappy and lz4 are read and
 * written here, because those of the libraries are not the ones that Kafka clients use.
 */
package dev.muster.store.compression;
