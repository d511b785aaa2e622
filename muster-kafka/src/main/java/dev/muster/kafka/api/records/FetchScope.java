package dev.muster.kafka.api.records;

import java.util.Collection;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;

/** The partitions of one fetch: those it names, or those of its session. */
interface FetchScope {
    /** The id of the session; 0 if there is none. */
    int sessionId();

    /** The partitions, in the order in which they are to be read. */
    Collection<PartitionFetch> wanted();

    /** True if the response must contain this partition. The session remembers what it contained. */
    boolean tells(PartitionFetch.Key key, PartitionData data);

    /** A fetch without a session: its response contains all its partitions. */
    record Whole(Collection<PartitionFetch> wanted) implements FetchScope {
        @Override
        public int sessionId() {
            return 0;
        }

        @Override
        public boolean tells(PartitionFetch.Key key, PartitionData data) {
            return true;
        }
    }
}
