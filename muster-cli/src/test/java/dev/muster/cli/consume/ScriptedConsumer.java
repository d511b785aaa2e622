package dev.muster.cli.consume;

import dev.muster.core.TopicPartition;
import dev.muster.embedded.GroupAssignment;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Received;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A group member with scripted polls, which remembers the acknowledged records. */
final class ScriptedConsumer implements GroupConsumer<byte[], byte[]> {
    private final Deque<Supplier<List<Received<byte[], byte[]>>>> polls = new ArrayDeque<>();
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final TreeSet<TopicPartition> owned = new TreeSet<>();
    final List<String> acknowledged = new ArrayList<>();
    int wakeups;
    int commits;

    static Received<byte[], byte[]> record(String topic, int partition, long offset, String value) {
        byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
        return new Received<>(topic, partition, offset, 1000 + offset, null, bytes, List.of());
    }

    static TopicPartition partition(String topic, int number) {
        return TopicPartition.of(topic, number);
    }

    /** The next poll returns these records. */
    ScriptedConsumer returning(List<Received<byte[], byte[]>> records) {
        polls.add(() -> records);
        return this;
    }

    /** The next poll runs this action. */
    ScriptedConsumer doing(Runnable what) {
        polls.add(() -> {
            what.run();
            return List.of();
        });
        return this;
    }

    void own(TopicPartition partition) {
        owned.add(partition);
        positions.putIfAbsent(partition, 0L);
    }

    @Override
    public List<Received<byte[], byte[]>> poll(Duration timeout) {
        if (polls.isEmpty()) {
            throw new AssertionError("one poll more than the test expects");
        }
        List<Received<byte[], byte[]>> records = polls.remove().get();
        records.forEach(record -> positions.put(record.topicPartition(), record.offset() + 1));
        return records;
    }

    @Override
    public void ack(Received<byte[], byte[]> record) {
        acknowledged.add(record.topicPartition() + "@" + record.offset());
    }

    @Override
    public GroupAssignment assignment() {
        return new GroupAssignment("m-1", 1, owned);
    }

    @Override
    public Map<TopicPartition, Long> positions() {
        return positions;
    }

    @Override
    public void wakeup() {
        wakeups++;
    }

    @Override
    public void commit() {
        commits++;
    }

    @Override
    public void commit(Map<TopicPartition, Long> next) {
        throw new AssertionError("not expected");
    }

    @Override
    public CompletableFuture<Void> commitAsync() {
        throw new AssertionError("not expected");
    }

    @Override
    public void seekToStart() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void seekToEnd() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void seek(Instant time) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        throw new AssertionError("not expected");
    }

    @Override
    public void pause(Set<TopicPartition> partitions) {
        throw new AssertionError("not expected");
    }

    @Override
    public void resume(Set<TopicPartition> partitions) {
        throw new AssertionError("not expected");
    }

    @Override
    public Set<TopicPartition> paused() {
        return Set.of();
    }

    @Override
    public Map<TopicPartition, Long> committed(Set<TopicPartition> partitions) {
        throw new AssertionError("not expected");
    }

    @Override
    public void close() {}
}
