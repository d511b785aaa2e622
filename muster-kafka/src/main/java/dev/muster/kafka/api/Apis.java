package dev.muster.kafka.api;

import dev.muster.kafka.Broker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;

/** All APIs that are served. */
public final class Apis {
    private final Api<?>[] byKey;

    private Apis(List<Api<?>> apis) {
        int keys = 1 + apis.stream().mapToInt(api -> api.key().id).max().orElse(0);
        byKey = new Api<?>[keys];
        apis.forEach(api -> byKey[api.key().id] = api);
    }

    public static Apis of(Broker broker) {
        List<Api<?>> apis = new ArrayList<>(List.of(
                new ProduceApi(broker),
                new FetchApi(broker),
                new ListOffsetsApi(broker),
                new MetadataApi(broker),
                new OffsetCommitApi(broker),
                new OffsetFetchApi(broker),
                new FindCoordinatorApi(broker),
                new JoinGroupApi(broker),
                new HeartbeatApi(broker),
                new LeaveGroupApi(broker),
                new SyncGroupApi(broker),
                new DescribeGroupsApi(broker),
                new ListGroupsApi(broker),
                new SaslHandshakeApi(),
                new SaslAuthenticateApi(),
                new CreateTopicsApi(broker),
                new DeleteTopicsApi(broker),
                new DeleteRecordsApi(broker),
                new InitProducerIdApi(broker),
                new OffsetForLeaderEpochApi(broker),
                new DescribeConfigsApi(broker),
                new AlterConfigsApi(broker),
                new DescribeLogDirsApi(broker),
                new CreatePartitionsApi(broker),
                new DeleteGroupsApi(broker),
                new IncrementalAlterConfigsApi(broker),
                new ListPartitionReassignmentsApi(),
                new OffsetDeleteApi(broker),
                new DescribeClusterApi(broker),
                new ConsumerGroupHeartbeatApi(broker),
                new ConsumerGroupDescribeApi(broker),
                new DescribeTopicPartitionsApi(broker)));
        ApiVersionsApi versions = new ApiVersionsApi(broker);
        apis.add(versions);
        Apis all = new Apis(apis);
        versions.announce(all.table());
        return all;
    }

    public Optional<Api<?>> find(short key) {
        return key < 0 || key >= byKey.length ? Optional.empty() : Optional.ofNullable(byKey[key]);
    }

    /** By their keys. */
    public List<Api<?>> all() {
        List<Api<?>> all = new ArrayList<>();
        for (Api<?> api : byKey) {
            if (api != null) {
                all.add(api);
            }
        }
        all.sort(Comparator.comparingInt(api -> api.key().id));
        return all;
    }

    /** What clients are told. */
    private ApiVersionCollection table() {
        ApiVersionCollection table = new ApiVersionCollection();
        for (Api<?> api : all()) {
            table.add(new ApiVersion()
                    .setApiKey(api.key().id)
                    .setMinVersion(api.advertisedFrom())
                    .setMaxVersion((short) api.serves().to()));
        }
        return table;
    }
}
