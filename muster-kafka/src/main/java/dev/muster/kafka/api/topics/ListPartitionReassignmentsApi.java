package dev.muster.kafka.api.topics;

import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/** Lists the partitions that move to another broker, which are none. Tools ask this before they describe topics. */
@Serves(
        api = ApiKeys.LIST_PARTITION_REASSIGNMENTS,
        from = 0,
        to = 0,
        without = "There is one broker, so the list is always empty.")
public final class ListPartitionReassignmentsApi extends Api<ListPartitionReassignmentsRequestData> {
    public ListPartitionReassignmentsApi() {}

    @Override
    public ListPartitionReassignmentsRequestData read(Readable bytes, short version) {
        return new ListPartitionReassignmentsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<ListPartitionReassignmentsRequestData> request) {
        return PendingResponse.of(new ListPartitionReassignmentsResponseData().setErrorMessage(null));
    }
}
