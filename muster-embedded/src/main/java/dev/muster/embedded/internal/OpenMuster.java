package dev.muster.embedded.internal;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicPartition;
import dev.muster.embedded.Codec;
import dev.muster.embedded.ConsumerBuilder;
import dev.muster.embedded.Muster;
import dev.muster.embedded.MusterOptions;
import dev.muster.embedded.Producer;
import dev.muster.embedded.ProducerBuilder;
import dev.muster.embedded.Reader;
import dev.muster.embedded.ReaderBuilder;
import dev.muster.embedded.admin.Topics;
import dev.muster.engine.group.service.GroupService;
import dev.muster.store.DiskState;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.StoreClosedException;
import dev.muster.store.TopicNotFoundException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** One open queue: its store, its groups, and the producers, readers and consumers to close with it. Thread-safe. */
public final class OpenMuster implements Muster {
    private final String name;
    private final LogStore store;
    private final StoreGroups storeGroups;
    /** Closes the store, unless other instances in this process still use it. */
    private final AutoCloseable lease;

    private final Topics topics = new LocalTopics(this::store);
    private final GroupInspection groups = new LocalGroups(this::groupService);
    private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private OpenMuster(String name, LogStore store, StoreGroups storeGroups, AutoCloseable lease) {
        this.name = name;
        this.store = store;
        this.storeGroups = storeGroups;
        this.lease = lease;
    }

    /** Opens a directory. All instances of this process for one directory share one store. */
    public static OpenMuster open(Path directory, MusterOptions options) {
        SharedStores.Lease lease = SharedStores.open(directory, options);
        return new OpenMuster(directory.toString(), lease.store(), lease.groups(), lease);
    }

    /** A queue over any store. Closing the queue closes the store. */
    public static OpenMuster over(LogStore store) {
        StoreGroups groups = new StoreGroups(store);
        return new OpenMuster("the queue", store, groups, () -> {
            groups.close();
            store.close();
        });
    }

    @Override
    public Topics topics() {
        return topics;
    }

    @Override
    public ProducerBuilder<byte[], byte[]> producer(String topic) {
        return LocalProducerBuilder.of(this, topic);
    }

    @Override
    public <K, V> Producer<K, V> producer(String topic, Codec<K> keys, Codec<V> values) {
        return producer(topic).keys(keys).values(values).open();
    }

    @Override
    public ReaderBuilder<byte[], byte[]> reader(String... topicNames) {
        return LocalReaderBuilder.of(this, List.of(topicNames));
    }

    @Override
    public <K, V> Reader<K, V> reader(String topic, Codec<K> keys, Codec<V> values) {
        return reader(topic).keys(keys).values(values).open();
    }

    @Override
    public ConsumerBuilder<byte[], byte[]> consumer(String group, String... topicNames) {
        return LocalConsumerBuilder.of(this, group, List.of(topicNames));
    }

    @Override
    public GroupInspection groups() {
        return groups;
    }

    @Override
    public boolean readOnly() {
        return store().readOnly();
    }

    @Override
    public Optional<DiskState> disk() {
        return store().disk();
    }

    @Override
    public void close() {
        synchronized (open) {
            if (closed) {
                return;
            }
            closed = true;
        }
        List<Exception> failures = new ArrayList<>();
        for (AutoCloseable part : List.copyOf(open)) {
            close(part, failures);
        }
        close(lease, failures);
        if (!failures.isEmpty()) {
            MusterException failure = new MusterException("closing " + name + " failed", null, failures.getFirst());
            failures.stream().skip(1).forEach(failure::addSuppressed);
            throw failure;
        }
    }

    private static void close(AutoCloseable part, List<Exception> failures) {
        try {
            part.close();
        } catch (Exception e) {
            failures.add(e);
        }
    }

    /** The store; throws after close. */
    public LogStore store() {
        if (closed) {
            throw new StoreClosedException(name);
        }
        return store;
    }

    /** The log of a partition that exists. */
    PartitionLog log(TopicPartition partition) {
        Topic topic = store().find(partition.topic())
                .orElseThrow(() -> new TopicNotFoundException("topic \"" + partition.topic() + "\""));
        return store().log(topic.id(), partition.partition());
    }

    /** The service that runs the members of this process; started by the first call. */
    public GroupService groupService() {
        store();
        return storeGroups.service();
    }

    /** Registers a producer, reader or consumer, which {@link #close} closes. */
    <T extends AutoCloseable> T closesWithThis(T part) {
        synchronized (open) {
            if (!closed) {
                open.add(part);
                return part;
            }
        }
        close(part, new ArrayList<>());
        throw new StoreClosedException(name);
    }

    /** Forgets a producer, reader or consumer that has closed itself. */
    void closedAlready(AutoCloseable part) {
        open.remove(part);
    }
}
