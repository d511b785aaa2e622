package dev.muster.embedded;

import dev.muster.embedded.admin.Groups;
import dev.muster.embedded.admin.Topics;
import dev.muster.embedded.internal.OpenMuster;
import dev.muster.store.DiskState;
import dev.muster.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.Optional;

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
 * <p>After {@link #close} everything made from it throws {@link dev.muster.store.StoreClosedException}.
 */
public interface Muster extends AutoCloseable {
    /** Opens a directory; a missing one is created. Opening it twice is cheap: both share one store. */
    static Muster open(Path directory) {
        return open(directory, MusterOptions.DEFAULT);
    }

    static Muster open(Path directory, MusterOptions options) {
        return OpenMuster.open(directory, options);
    }

    /** A queue in memory, for tests. Its records are gone with the process. */
    static Muster inMemory() {
        return OpenMuster.over(new MemoryStore());
    }

    Topics topics();

    /** A producer to be described further: {@code muster.producer("orders").keys(STRING).values(STRING).open()}. */
    ProducerBuilder<byte[], byte[]> producer(String topic);

    /** A producer with the defaults. */
    <K, V> Producer<K, V> producer(String topic, Codec<K> keys, Codec<V> values);

    /** A reader of one or more topics, to be described further. */
    ReaderBuilder<byte[], byte[]> reader(String... topicNames);

    /** A reader of all partitions, from their first record. */
    <K, V> Reader<K, V> reader(String topic, Codec<K> keys, Codec<V> values);

    /**
     * A member of a group that reads these topics, to be described further. Without topics it needs a
     * {@link ConsumerBuilder#pattern}. A topic may be created later.
     *
     * <pre>{@code
     * var orders = muster.consumer("billing", "orders").keys(STRING).values(STRING).open();
     * }</pre>
     */
    ConsumerBuilder<byte[], byte[]> consumer(String group, String... topicNames);

    /** The groups: their state, and administration. */
    Groups groups();

    /** True if this process may only read. */
    boolean readOnly();

    /** The room on the disk, and whether records are accepted; empty if the size of the disk is not known. */
    Optional<DiskState> disk();

    /**
     * Flushes and closes the producers, readers and consumers that are still open; consumers leave their groups. Then
     * closes the store, unless another part of this process has it open.
     */
    @Override
    void close();
}
