package dev.muster.embedded.internal;

import dev.muster.core.TopicPartition;
import dev.muster.embedded.Received;
import dev.muster.engine.group.member.GroupSink;
import dev.muster.store.batch.BatchDecoder;
import java.util.ArrayList;
import java.util.List;

/** Decodes the records of one poll into a list. */
final class DecodedRecords<K, V> implements GroupSink {
    private static final int LIST_SIZE_MIN = 16;

    final List<Received<K, V>> list;
    private final RecordDecoding<K, V> decoding;

    /** @param sizeBefore number of records of the last poll, which is the best guess for this one */
    DecodedRecords(RecordDecoding<K, V> decoding, int sizeBefore) {
        this.decoding = decoding;
        this.list = new ArrayList<>(Math.max(LIST_SIZE_MIN, sizeBefore));
    }

    @Override
    public void accept(TopicPartition from, BatchDecoder record) {
        list.add(decoding.received(from, record));
    }

    @Override
    public void withdraw() {
        list.clear();
    }
}
