package dev.muster.embedded.internal;

import dev.muster.core.TopicPartition;
import dev.muster.embedded.Received;
import java.util.AbstractList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.RandomAccess;
import java.util.Spliterator;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The records that one poll returned. The list knows the record that a loop over it is at, because close commits the
 * records before that one.
 *
 * <p>Why not a simpler rule: an exception in a loop closes the consumer (try-with-resources), and SIGTERM closes it in
 * the middle of a loop. If close committed all records, as Kafka's consumer does, no member would get the unprocessed
 * ones. If it committed none, each clean shutdown would return the records of the last poll again.
 *
 * <p>A stream is a loop too. Access by index does not count, because it does not show when the application has finished
 * a record.
 */
final class PolledRecords<K, V> extends AbstractList<Received<K, V>> implements RandomAccess {
    private final List<Received<K, V>> records;
    /** The index of the current record: 0 before a loop begins, {@link #size} after a loop came to its end. */
    private final AtomicInteger current = new AtomicInteger();

    PolledRecords(List<Received<K, V>> records) {
        this.records = records;
    }

    @Override
    public Received<K, V> get(int index) {
        return records.get(index);
    }

    @Override
    public int size() {
        return records.size();
    }

    @Override
    public Iterator<Received<K, V>> iterator() {
        return new Loop();
    }

    @Override
    public Spliterator<Received<K, V>> spliterator() {
        return new InOrder();
    }

    /**
     * The loop of a stream. It is never split: a second part would take records out of order, and those before them
     * would count as processed.
     */
    private final class InOrder implements Spliterator<Received<K, V>> {
        private final Loop loop = new Loop();

        @Override
        public boolean tryAdvance(java.util.function.Consumer<? super Received<K, V>> action) {
            boolean more = loop.hasNext();
            if (more) {
                action.accept(loop.next());
            }
            return more;
        }

        @Override
        public Spliterator<Received<K, V>> trySplit() {
            return null;
        }

        @Override
        public long estimateSize() {
            return (long) records.size() - loop.next;
        }

        @Override
        public int characteristics() {
            return ORDERED | SIZED | SUBSIZED | NONNULL;
        }
    }

    private final class Loop implements Iterator<Received<K, V>> {
        private int next;

        @Override
        public boolean hasNext() {
            boolean more = next < records.size();
            if (!more) {
                current.setRelease(next);
            }
            return more;
        }

        @Override
        public Received<K, V> next() {
            if (next == records.size()) {
                throw new NoSuchElementException();
            }
            current.setRelease(next);
            return records.get(next++);
        }
    }

    /** For each partition the offset of the first record that a loop has not finished. */
    Map<TopicPartition, Long> unfinished() {
        Map<TopicPartition, Long> open = new HashMap<>();
        for (Received<K, V> record : records.subList(current.getAcquire(), records.size())) {
            open.putIfAbsent(record.topicPartition(), record.offset());
        }
        return open;
    }
}
