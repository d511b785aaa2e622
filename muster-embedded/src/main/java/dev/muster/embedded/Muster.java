package dev.muster.embedded;

import dev.muster.embedded.admin.Groups;
import dev.muster.embedded.admin.Topics;
import dev.muster.embedded.internal.OpenMuster;
import dev.muster.store.DiskState;
import dev.muster.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A queue: topics in a directory that processes share, or in memory. Thread-safe.
 *
 * <pre>{@code
 * try (Muster muster = Muster.open(Path.of("data"))) {
 *     muster.topics().ensure("orders", t -> t.partitions(12));
 *     muster.producer("orders", Codec.STRING, Codec.STRING).send("cust-7", "3 apples").join();
 * }
 * }</pre>
 *
 * <p>After {@link #close}, all objects that were made from it throw {@link dev.muster.store.StoreClosedException}.
 */
public interface Muster extends AutoCloseable {
    /** Opens a directory; creates a missing one. Opening it twice is cheap: both instances share one store. */
    static Muster open(Path directory) {
        return open(directory, MusterOptions.DEFAULT);
    }

    static Muster open(Path directory, MusterOptions options) {
        return OpenMuster.open(directory, options);
    }

    /** A queue in memory, for tests. Its records are lost when the process ends. */
    static Muster inMemory() {
        return OpenMuster.over(new MemoryStore());
    }

    /** The topics: create, show, change and delete them. */
    Topics topics();

    /**
     * A description of a producer, to be completed:
     * {@code muster.producer("orders").keys(STRING).values(STRING).open()}.
     */
    ProducerBuilder<byte[], byte[]> producer(String topic);

    /** Opens a producer with the default settings. */
    <K, V> Producer<K, V> producer(String topic, Codec<K> keys, Codec<V> values);

    /** A description of a reader of one or more topics, to be completed. */
    ReaderBuilder<byte[], byte[]> reader(String... topicNames);

    /** Opens a reader of all partitions, from their first record. */
    <K, V> Reader<K, V> reader(String topic, Codec<K> keys, Codec<V> values);

    /**
     * A description of a member of a group that reads these topics, to be completed. Without topics it needs a
     * {@link ConsumerBuilder#pattern}. The topics need not exist yet.
     *
     * <pre>{@code
     * var orders = muster.consumer("billing", "orders").keys(STRING).values(STRING).open();
     * }</pre>
     */
    ConsumerBuilder<byte[], byte[]> consumer(String group, String... topicNames);

    /** The groups: show, change and delete them. */
    Groups groups();

    /** True if this process may only read. */
    boolean readOnly();

    /** The free space on the disk, and whether records are accepted; empty if the size of the disk is unknown. */
    Optional<DiskState> disk();

    /**
     * Closes the producers, readers and consumers that are still open. Producers flush, and consumers leave their
     * groups. Then closes the store, unless another part of this process has it open.
     */
    @Override
    void close();
}
