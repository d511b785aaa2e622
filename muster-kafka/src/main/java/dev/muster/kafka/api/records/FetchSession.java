package dev.muster.kafka.api.records;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;

/**
 * The partitions that a client fetches again and again. Its requests and the responses contain only what changed. Used
 * by one request at a time; two requests of one client take turns.
 */
final class FetchSession {
    private static final int EPOCH_FIRST = 1;

    /** The last request and the last response about a partition. */
    private static final class Entry {
        private PartitionFetch wanted;
        private long endOffset = -1;
        private long startOffset = -1;

        Entry(PartitionFetch wanted) {
            this.wanted = wanted;
        }
    }

    private final int id;
    private final boolean byId;
    private final Map<PartitionFetch.Key, Entry> entries = new LinkedHashMap<>();
    private int nextEpoch = EPOCH_FIRST;

    FetchSession(int id, boolean byId) {
        this.id = id;
        this.byId = byId;
    }

    boolean isById() {
        return byId;
    }

    synchronized int partitions() {
        return entries.size();
    }

    /** The first fetch: its response contains all partitions. */
    synchronized FetchScope begin(List<PartitionFetch> wanted) {
        wanted.forEach(each -> entries.put(each.key(), new Entry(each)));
        return new Scope(wanted, true);
    }

    /** @return the reason of the refusal, or NONE */
    synchronized Errors advance(int epoch, List<PartitionFetch> changed, Collection<PartitionFetch.Key> forgotten) {
        if (epoch != nextEpoch) {
            return Errors.INVALID_FETCH_SESSION_EPOCH;
        }
        nextEpoch = nextEpoch == Integer.MAX_VALUE ? EPOCH_FIRST : nextEpoch + 1;
        for (PartitionFetch each : changed) {
            entries.computeIfAbsent(each.key(), key -> new Entry(each)).wanted = each;
        }
        forgotten.forEach(entries::remove);
        return Errors.NONE;
    }

    /** A later fetch: its response contains the partitions that changed. */
    synchronized FetchScope next() {
        List<PartitionFetch> wanted = new ArrayList<>(entries.size());
        entries.values().forEach(entry -> wanted.add(entry.wanted));
        return new Scope(wanted, false);
    }

    private synchronized boolean tell(PartitionFetch.Key key, PartitionData data, boolean all) {
        Entry entry = entries.get(key);
        boolean hasRecords = data.records().sizeInBytes() > 0;
        boolean failed = data.errorCode() != Errors.NONE.code();
        if (entry == null) {
            return all || hasRecords || failed;
        }
        boolean moved = entry.endOffset != data.highWatermark() || entry.startOffset != data.logStartOffset();
        if (hasRecords) {
            // The partition goes to the end of the order, so that a busy one does not starve the others.
            entries.remove(key);
            entries.put(key, entry);
        }
        entry.endOffset = failed ? -1 : data.highWatermark();
        entry.startOffset = failed ? -1 : data.logStartOffset();
        return all || hasRecords || failed || moved;
    }

    /** See {@link FetchScope}. */
    private final class Scope implements FetchScope {
        private final List<PartitionFetch> wanted;
        private final boolean all;

        Scope(List<PartitionFetch> wanted, boolean all) {
            this.wanted = wanted;
            this.all = all;
        }

        @Override
        public int sessionId() {
            return id;
        }

        @Override
        public Collection<PartitionFetch> wanted() {
            return wanted;
        }

        @Override
        public boolean tells(PartitionFetch.Key key, PartitionData data) {
            return tell(key, data, all);
        }
    }
}
