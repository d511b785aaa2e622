package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import java.util.AbstractList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.RandomAccess;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one poll returned. Knows how far a loop over it has come: whoever leaves the loop early, because of an exception
 * or a signal, has not processed the record in hand and those behind it, and closing must not commit them.
 */
final class PolledRecords<K, V> extends AbstractList<Received<K, V>> implements RandomAccess {
    private static final int NO_LOOP = -1;

    private final List<Received<K, V>> records;
    /** The place of the record in hand; {@link #NO_LOOP} before a loop began, and after one came to its end. */
    private final AtomicInteger inHand = new AtomicInteger(NO_LOOP);

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

    private final class Loop implements Iterator<Received<K, V>> {
        private int next;

        @Override
        public boolean hasNext() {
            boolean more = next < records.size();
            if (!more) {
                inHand.setRelease(NO_LOOP);
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
        int place = inHand.getAcquire();
        if (place != NO_LOOP) {
            for (Received<K, V> record : records.subList(place, records.size())) {
                open.putIfAbsent(record.topicPartition(), record.offset());
            }
        }
        return open;
    }
}
