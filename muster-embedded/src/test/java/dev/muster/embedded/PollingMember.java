package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import dev.muster.store.StoreClosedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * A member of a group that polls on a thread of its own until it is stopped. Records what it reads and is called with.
 */
final class PollingMember implements AutoCloseable {
    static final Duration WAIT_MAX = Duration.ofMinutes(3);

    final List<Received<String, String>> records = new CopyOnWriteArrayList<>();
    /** The calls of the listener as text: {@code assigned orders-0 orders-1}. */
    final List<String> heard = new CopyOnWriteArrayList<>();

    private final GroupConsumer<String, String> consumer;
    private final Thread thread;
    private volatile SortedSet<TopicPartition> known = new TreeSet<>();
    private volatile boolean stopped;
    private volatile boolean frozen;
    private volatile Throwable failure;

    PollingMember(
            Muster muster, String group, UnaryOperator<ConsumerBuilder<String, String>> choices, String... topics) {
        ConsumerBuilder<String, String> builder = muster.consumer(group, topics)
                .keys(Codec.STRING)
                .values(Codec.STRING)
                .listener(new RebalanceListener() {
                    @Override
                    public void assigned(long generation, Set<TopicPartition> partitions) {
                        note("assigned", partitions);
                    }

                    @Override
                    public void revoked(long generation, Set<TopicPartition> partitions) {
                        note("revoked", partitions);
                    }

                    @Override
                    public void lost(long generation, Set<TopicPartition> partitions) {
                        note("lost", partitions);
                    }
                });
        consumer = choices.apply(builder).open();
        thread = Thread.ofPlatform().daemon().name("member-of-" + group).start(this::run);
    }

    /** The owned partitions by the calls of the listener, which come a moment after {@link #owned} has changed. */
    SortedSet<TopicPartition> knownToListener() {
        return known;
    }

    private void note(String what, Set<TopicPartition> partitions) {
        SortedSet<TopicPartition> now = new TreeSet<>(known);
        if (what.equals("assigned")) {
            now.addAll(partitions);
        } else {
            now.removeAll(partitions);
        }
        StringBuilder text = new StringBuilder(what);
        partitions.stream().sorted().forEach(partition -> text.append(' ').append(partition));
        heard.add(text.toString());
        known = now;
    }

    private void run() {
        try {
            while (!stopped) {
                if (frozen) {
                    Thread.onSpinWait();
                } else {
                    records.addAll(consumer.poll(Duration.ofMillis(100)));
                }
            }
        } catch (StoreClosedException e) {
            stopped = true;
        } catch (Throwable e) {
            if (!stopped) {
                failure = e;
            }
        }
    }

    GroupConsumer<String, String> consumer() {
        return consumer;
    }

    String id() {
        return consumer.assignment().member();
    }

    SortedSet<TopicPartition> owned() {
        return consumer.assignment().partitions();
    }

    List<String> values() {
        List<String> values = new ArrayList<>();
        records.forEach(record -> values.add(record.value()));
        return values;
    }

    /** Stops polling, or polls again, without telling the group. */
    void freeze(boolean on) {
        frozen = on;
    }

    Throwable failure() {
        return failure;
    }

    /** Stops polling without leaving the group. */
    void stopPolling() throws InterruptedException {
        stopped = true;
        consumer.wakeup();
        thread.join();
    }

    @Override
    public void close() {
        stopped = true;
        consumer.close();
        if (failure != null) {
            throw new AssertionError("a member failed", failure);
        }
    }

    /** Waits until a condition is true; fails with its description after three minutes. */
    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + WAIT_MAX.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("never happened: " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
