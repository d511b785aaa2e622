package dev.muster.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MusterException;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.RequestHead;
import dev.muster.store.StoreIoException;
import dev.muster.store.group.DamagedGroupException;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicCollection;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** The responses of requests that fail in the store. */
class FailedRequestTest {
    private static final MusterException FAILURE = new StoreIoException("the disk is on fire", null);

    private static ApiMessage reply(ApiKeys api, int version, ApiMessage body) throws InterruptedException {
        return reply(api, version, body, FAILURE);
    }

    private static ApiMessage reply(ApiKeys api, int version, ApiMessage body, MusterException failure)
            throws InterruptedException {
        RequestHead head = new RequestHead(api, (short) version, 7, "client");
        PendingResponse failed = PendingResponse.when(CompletableFuture.<ApiMessage>failedFuture(failure));
        PendingResponse answer = FailedRequest.answered(failed, head, body);
        assertThat(answer.now()).isEmpty();
        return answer.await().message();
    }

    @Test
    void groupRequestsGetARetriableError() throws Exception {
        for (short version : ApiKeys.HEARTBEAT.allVersions()) {
            var told = (HeartbeatResponseData) reply(ApiKeys.HEARTBEAT, version, new HeartbeatRequestData());
            assertThat(told.errorCode()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE.code());
        }
        for (short version : ApiKeys.JOIN_GROUP.allVersions()) {
            var told = (JoinGroupResponseData) reply(ApiKeys.JOIN_GROUP, version, new JoinGroupRequestData());
            assertThat(told.errorCode()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE.code());
        }
    }

    /** Clients of a damaged group must not repeat their request for ever. */
    @Test
    void membersOfADamagedGroupGetAFinalError() throws Exception {
        var damage = new DamagedGroupException("workers", "0.log at byte 7", 3, "the checksum does not hold", null);
        for (short version : ApiKeys.JOIN_GROUP.allVersions()) {
            var told = (JoinGroupResponseData) reply(ApiKeys.JOIN_GROUP, version, new JoinGroupRequestData(), damage);
            assertThat(told.errorCode()).isEqualTo(Errors.UNKNOWN_SERVER_ERROR.code());
        }
    }

    @Test
    void aCommitIsRefusedForEachPartition() throws Exception {
        OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName("orders");
        topic.partitions().add(new OffsetCommitRequestPartition().setPartitionIndex(3));
        OffsetCommitRequestData commit = new OffsetCommitRequestData();
        commit.topics().add(topic);
        var told = (OffsetCommitResponseData) reply(ApiKeys.OFFSET_COMMIT, 8, commit);
        var partition = told.topics().getFirst().partitions().getFirst();
        assertThat(partition.partitionIndex()).isEqualTo(3);
        assertThat(partition.errorCode()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE.code());
    }

    @Test
    void otherRequestsGetTheErrorOfTheStore() throws Exception {
        CreatableTopicCollection topics = new CreatableTopicCollection();
        topics.add(new CreatableTopic().setName("orders").setNumPartitions(1).setReplicationFactor((short) 1));
        var told = (CreateTopicsResponseData)
                reply(ApiKeys.CREATE_TOPICS, 7, new CreateTopicsRequestData().setTopics(topics));
        assertThat(told.topics().find("orders").errorCode()).isEqualTo(Errors.KAFKA_STORAGE_ERROR.code());
    }
}
