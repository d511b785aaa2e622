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
 * What one poll returned. Knows how far a loop over it has come: whoever leaves the loop early, because of an exception
 * or a signal, or has not begun it, has not processed the record in hand and those behind it, and closing must not
 * commit them. A stream is a loop; what is only got by its index does not count, since nobody says when he is done with
 * it.
 */
final class PolledRecords<K, V> extends AbstractList<Received<K, V>> implements RandomAccess {
    private final List<Received<K, V>> records;
    /** The place of the record in hand: the first before a loop began, behind the last after one came to its end. */
    private final AtomicInteger inHand = new AtomicInteger();

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

    /** The loop of a stream. Never split: whoever takes records ahead of their turn would seem to be done with them. */
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
                inHand.setRelease(next);
            }
            return more;
        }

        @Override
        public Received<K, V> next() {
            if (next == records.size()) {
                throw new NoSuchElementException();
            }
            inHand.setRelease(next);
            return records.get(next++);
        }
    }

    /** By partition the first record that a loop has not finished with. */
    Map<TopicPartition, Long> inHand() {
        Map<TopicPartition, Long> open = new HashMap<>();
        for (Received<K, V> record : records.subList(inHand.getAcquire(), records.size())) {
            open.putIfAbsent(record.topicPartition(), record.offset());
        }
        return open;
    }
}
