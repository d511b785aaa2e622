package dev.muster.cli.consume;

import dev.muster.embedded.Received;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Keeps the newest of all offered records, by timestamp; records of one partition stay in order. */
final class LastRecords {
    private static final Comparator<Received<byte[], byte[]>> BY_TIME =
            Comparator.<Received<byte[], byte[]>>comparingLong(Received::timestampMillis)
                    .thenComparing(Received::topic)
                    .thenComparingInt(Received::partition)
                    .thenComparingLong(Received::offset);

    private final int count;
    private final PriorityQueue<Received<byte[], byte[]>> newest = new PriorityQueue<>(BY_TIME);

    LastRecords(int count) {
        this.count = count;
    }

    void offer(Received<byte[], byte[]> record) {
        newest.add(record);
        if (newest.size() > count) {
            newest.remove();
        }
    }

    List<Received<byte[], byte[]>> oldestFirst() {
        List<Received<byte[], byte[]>> records = new ArrayList<>(newest);
        records.sort(BY_TIME);
        return records;
    }
}
