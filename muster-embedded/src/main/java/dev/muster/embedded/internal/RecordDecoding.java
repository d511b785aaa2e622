package dev.muster.embedded.internal;

import dev.muster.core.TopicPartition;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Received;
import dev.muster.embedded.UndecodableRecordException;
import dev.muster.store.batch.BatchDecoder;

/** Decodes records. If a codec refuses, the exception names the record. */
record RecordDecoding<K, V>(Codec<K> keys, Codec<V> values) {
    Received<K, V> received(TopicPartition from, BatchDecoder record) {
        return new Received<>(
                from.topic().value(),
                from.partition(),
                record.offset(),
                record.timestamp(),
                decode(keys, record.key(), "key", from, record.offset()),
                decode(values, record.value(), "value", from, record.offset()),
                record.headers());
    }

    Received<K, V> received(Received<byte[], byte[]> raw) {
        TopicPartition from = raw.topicPartition();
        return new Received<>(
                raw.topic(),
                raw.partition(),
                raw.offset(),
                raw.timestampMillis(),
                decode(keys, raw.key(), "key", from, raw.offset()),
                decode(values, raw.value(), "value", from, raw.offset()),
                raw.headers());
    }

    private static <T> T decode(Codec<T> codec, byte[] bytes, String part, TopicPartition from, long offset) {
        try {
            return codec.decode(bytes);
        } catch (RuntimeException e) {
            throw new UndecodableRecordException(from, offset, part, e);
        }
    }
}
