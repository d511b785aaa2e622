package dev.muster.kafka.api.records;

import java.util.Collection;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;

/** What one fetch is about: the partitions it names, or those of its session. */
interface FetchScope {
    /** 0: no session. */
    int sessionId();

    /** In the order in which they are to be read. */
    Collection<Wanted> wanted();

    /** Whether the client has to be told this, and remembers that it was. */
    boolean tells(Wanted.Key key, PartitionData data);

    /** A fetch without a session: the client is told everything it asked for. */
    record Whole(Collection<Wanted> wanted) implements FetchScope {
        @Override
        public int sessionId() {
            return 0;
        }

        @Override
        public boolean tells(Wanted.Key key, PartitionData data) {
            return true;
        }
    }
}
