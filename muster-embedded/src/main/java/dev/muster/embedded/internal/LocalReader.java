package dev.muster.embedded.internal;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.embedded.Codec;
import dev.muster.embedded.OnDamage;
import dev.muster.embedded.Reader;
import dev.muster.embedded.Received;
import dev.muster.embedded.Start;
import dev.muster.engine.read.PartitionsReader;
import dev.muster.engine.read.ReadErrorPolicy;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A {@link PartitionsReader} with codecs, reactions to errors, and a check of the calling thread. */
final class LocalReader<K, V> implements Reader<K, V> {
    private final OpenMuster muster;
    private final RecordDecoding<K, V> decoding;
    private final LocalReaderBuilder.Plan plan;
    private final PartitionsReader partitions;
    private final SingleThreadGuard user;
    private int lastCount;

    LocalReader(OpenMuster muster, Codec<K> keys, Codec<V> values, LocalReaderBuilder.Plan plan) {
        this.muster = muster;
        this.decoding = new RecordDecoding<>(keys, values);
        this.plan = plan;
        this.partitions = new PartitionsReader(
                muster.store(),
                EngineRuntime.system(),
                plan.targets(),
                log -> StartOffset.of(plan.start(), log),
                new Policies(plan));
        String topics = plan.topics().stream().map(TopicName::value).collect(Collectors.joining(", "));
        this.user = new SingleThreadGuard("the reader of " + topics, partitions::close);
    }

    @Override
    public List<Received<K, V>> poll(Duration timeout) {
        long nanos = Deadline.nanos(timeout);
        return user.call(() -> {
            DecodedRecords<K, V> records = new DecodedRecords<>(decoding, lastCount);
            lastCount = partitions.poll(plan.recordsMax(), nanos, records);
            return records.list;
        });
    }

    /** Reacts to errors as the builder says. */
    private record Policies(LocalReaderBuilder.Plan plan) implements ReadErrorPolicy {
        @Override
        public long outOfRange(PartitionLog log, OffsetOutOfRangeException problem) {
            return switch (plan.onOutOfRange()) {
                case THROW -> throw problem;
                case EARLIEST -> log.startOffset();
                case LATEST -> log.endOffset();
            };
        }

        @Override
        public long damaged(PartitionLog log, DamagedLogException problem) {
            if (plan.onDamage() == OnDamage.STOP) {
                throw problem;
            }
            plan.damageListener().accept(problem);
            return problem.nextOffset();
        }
    }

    @Override
    public boolean atEnd() {
        return user.call(partitions::atEnd);
    }

    @Override
    public void seek(int partition, long offset) {
        if (plan.topics().size() != 1) {
            throw new IllegalArgumentException(
                    "this reader has " + plan.topics().size() + " topics: name one with the offset");
        }
        seek(new TopicPartition(plan.topics().getFirst(), partition), offset);
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("an offset must not be negative: " + offset);
        }
        user.run(() -> partitions.seek(partition, offset));
    }

    @Override
    public void seekToStart() {
        seekAll(Start.earliest());
    }

    @Override
    public void seekToEnd() {
        seekAll(Start.latest());
    }

    @Override
    public void seek(Instant time) {
        seekAll(Start.time(time));
    }

    private void seekAll(Start place) {
        user.run(() -> partitions.seekAll(log -> StartOffset.of(place, log)));
    }

    @Override
    public Map<TopicPartition, Long> positions() {
        return user.call(partitions::positions);
    }

    @Override
    public void wakeup() {
        partitions.wakeup();
    }

    @Override
    public void close() {
        user.close(partitions::wakeup);
        muster.closedAlready(this);
    }
}
