package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

final class TopicReader<K, V> implements Reader<K, V> {
    TopicReader(Muster muster, Codec<K> keys, Codec<V> values, ReaderBuilder.Plan plan) {
        throw new UnsupportedOperationException("not yet");
    }
    @Override public List<Received<K, V>> poll(Duration timeout) { return List.of(); }
    @Override public boolean atEnd() { return false; }
    @Override public void seek(int partition, long offset) {}
    @Override public void seek(TopicPartition partition, long offset) {}
    @Override public void seekToStart() {}
    @Override public void seekToEnd() {}
    @Override public void seek(Instant time) {}
    @Override public Map<TopicPartition, Long> positions() { return Map.of(); }
    @Override public void wakeup() {}
    @Override public void close() {}
}
