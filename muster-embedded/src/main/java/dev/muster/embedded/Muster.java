package dev.muster.embedded;

import dev.muster.core.MusterException;
import dev.muster.engine.group.service.GroupService;
import dev.muster.store.DiskState;
import dev.muster.store.LogStore;
import dev.muster.store.StoreClosedException;
import dev.muster.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A queue: topics in a directory that this process shares with others, or in memory. For all threads.
 *
 * <pre>{@code
 * try (Muster muster = Muster.open(Path.of("data"))) {
 *     muster.topics().ensure("orders", t -> t.partitions(12));
 *     muster.producer("orders", Codec.STRING, Codec.STRING).send("cust-7", "3 apples").join();
 * }
 * }</pre>
 *
 * <p>Closing it flushes and closes the producers, readers and consumers that are still open. Afterwards everything made
 * from it throws {@link StoreClosedException}.
 */
public final class Muster implements AutoCloseable {
    private final String name;
    private final LogStore store;
    private final StoreGroups storeGroups;
    /** Lets go of the store, which others may still use. */
    private final AutoCloseable lease;

    private final Topics topics = new Topics(this::store);
    private final Groups groups = new GroupAdmin(this::groupService);
    private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private Muster(String name, LogStore store, StoreGroups storeGroups, AutoCloseable lease) {
        this.name = name;
        this.store = store;
        this.storeGroups = storeGroups;
        this.lease = lease;
    }

    /** Opens a directory, and makes it when it is not there. Opening it twice is cheap: both share one store. */
    public static Muster open(Path directory) {
        return open(directory, MusterOptions.DEFAULT);
    }

    public static Muster open(Path directory, MusterOptions options) {
        SharedStores.Lease lease = SharedStores.open(directory, options);
        return new Muster(directory.toString(), lease.store(), lease.groups(), lease);
    }

    /** A queue that is gone with the process, for tests. */
    public static Muster inMemory() {
        return over(new MemoryStore());
    }

    /** A queue over any store, which it closes with itself. */
    static Muster over(LogStore store) {
        StoreGroups groups = new StoreGroups(store);
        return new Muster("the queue", store, groups, () -> {
            groups.close();
            store.close();
        });
    }

    public Topics topics() {
        return topics;
    }

    /** A producer to be described further: {@code muster.producer("orders").keys(STRING).values(STRING).open()}. */
    public ProducerBuilder<byte[], byte[]> producer(String topic) {
        return ProducerBuilder.of(this, topic);
    }

    /** A producer with the defaults. */
    public <K, V> Producer<K, V> producer(String topic, Codec<K> keys, Codec<V> values) {
        return producer(topic).keys(keys).values(values).open();
    }

    /** A reader of one or more topics, to be described further. */
    public ReaderBuilder<byte[], byte[]> reader(String... topicNames) {
        return ReaderBuilder.of(this, List.of(topicNames));
    }

    /** A reader of all partitions, from their first record. */
    public <K, V> Reader<K, V> reader(String topic, Codec<K> keys, Codec<V> values) {
        return reader(topic).keys(keys).values(values).open();
    }

    /**
     * A member of a group that reads these topics, to be described further. Without topics, say a
     * {@link ConsumerBuilder#pattern}. A topic need not be there yet.
     *
     * <pre>{@code
     * var orders = muster.consumer("billing", "orders").keys(STRING).values(STRING).open();
     * }</pre>
     */
    public ConsumerBuilder<byte[], byte[]> consumer(String group, String... topicNames) {
        return ConsumerBuilder.of(this, group, List.of(topicNames));
    }

    /** The groups: looking at them, and administration. */
    public Groups groups() {
        return groups;
    }

    /** Whether only reading is possible here. */
    public boolean readOnly() {
        return store().readOnly();
    }

    /** The room on the disk, and whether records are accepted; empty when the size of the disk is not known. */
    public Optional<DiskState> disk() {
        return store().disk();
    }

    /**
     * Flushes and closes the producers, readers and consumers that are still open; consumers leave their groups. Then
     * lets go of the store.
     */
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

    LogStore store() {
        if (closed) {
            throw new StoreClosedException(name);
        }
        return store;
    }

    GroupService groupService() {
        store();
        return storeGroups.service();
    }

    /** Remembers what has to be closed with this. */
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

    void closedAlready(AutoCloseable part) {
        open.remove(part);
    }
}
