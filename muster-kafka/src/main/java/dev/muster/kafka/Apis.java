package dev.muster.kafka;

import dev.muster.engine.partition.ParallelMap;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.BrokerIdentity;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.kafka.api.cluster.ApiVersionsApi;
import dev.muster.kafka.api.cluster.DescribeClusterApi;
import dev.muster.kafka.api.cluster.SaslAuthenticateApi;
import dev.muster.kafka.api.cluster.SaslHandshakeApi;
import dev.muster.kafka.api.groups.ConsumerGroupDescribeApi;
import dev.muster.kafka.api.groups.ConsumerGroupHeartbeatApi;
import dev.muster.kafka.api.groups.DeleteGroupsApi;
import dev.muster.kafka.api.groups.DescribeGroupsApi;
import dev.muster.kafka.api.groups.FindCoordinatorApi;
import dev.muster.kafka.api.groups.HeartbeatApi;
import dev.muster.kafka.api.groups.JoinGroupApi;
import dev.muster.kafka.api.groups.LeaveGroupApi;
import dev.muster.kafka.api.groups.ListGroupsApi;
import dev.muster.kafka.api.groups.OffsetCommitApi;
import dev.muster.kafka.api.groups.OffsetDeleteApi;
import dev.muster.kafka.api.groups.OffsetFetchApi;
import dev.muster.kafka.api.groups.SyncGroupApi;
import dev.muster.kafka.api.records.DeleteRecordsApi;
import dev.muster.kafka.api.records.FetchApi;
import dev.muster.kafka.api.records.InitProducerIdApi;
import dev.muster.kafka.api.records.ListOffsetsApi;
import dev.muster.kafka.api.records.OffsetForLeaderEpochApi;
import dev.muster.kafka.api.records.ProduceApi;
import dev.muster.kafka.api.records.RecordServices;
import dev.muster.kafka.api.topics.AlterConfigsApi;
import dev.muster.kafka.api.topics.CreatePartitionsApi;
import dev.muster.kafka.api.topics.CreateTopicsApi;
import dev.muster.kafka.api.topics.DeleteTopicsApi;
import dev.muster.kafka.api.topics.DescribeConfigsApi;
import dev.muster.kafka.api.topics.DescribeLogDirsApi;
import dev.muster.kafka.api.topics.DescribeTopicPartitionsApi;
import dev.muster.kafka.api.topics.IncrementalAlterConfigsApi;
import dev.muster.kafka.api.topics.ListPartitionReassignmentsApi;
import dev.muster.kafka.api.topics.MetadataApi;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.LogStore;
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

    static Apis of(
            LogStore store,
            ServerConfig config,
            BrokerIdentity identity,
            TopicDirectory topics,
            RecordServices records,
            GroupServices groups,
            ParallelMap sideBySide) {
        List<Api<?>> apis = new ArrayList<>(List.of(
                new ProduceApi(records),
                new FetchApi(records, config),
                new ListOffsetsApi(topics),
                new MetadataApi(identity, store, topics, config),
                new OffsetCommitApi(topics, groups.classic(), groups.remote()),
                new OffsetFetchApi(topics, groups.served(), groups.remote()),
                new FindCoordinatorApi(identity),
                new JoinGroupApi(groups.classic()),
                new HeartbeatApi(groups.classic()),
                new LeaveGroupApi(groups.classic()),
                new SyncGroupApi(groups.classic(), groups.served()),
                new DescribeGroupsApi(groups.served()),
                new ListGroupsApi(groups.served()),
                new SaslHandshakeApi(),
                new SaslAuthenticateApi(),
                new CreateTopicsApi(store, config, sideBySide),
                new DeleteTopicsApi(store, topics),
                new DeleteRecordsApi(topics),
                new InitProducerIdApi(store),
                new OffsetForLeaderEpochApi(topics),
                new DescribeConfigsApi(topics, config),
                new AlterConfigsApi(store, topics),
                new DescribeLogDirsApi(identity, store, topics),
                new CreatePartitionsApi(store, topics),
                new DeleteGroupsApi(groups.served()),
                new IncrementalAlterConfigsApi(store, topics),
                new ListPartitionReassignmentsApi(),
                new OffsetDeleteApi(topics, groups.served()),
                new DescribeClusterApi(identity),
                new ConsumerGroupHeartbeatApi(topics, groups.remote()),
                new ConsumerGroupDescribeApi(topics, groups.served(), groups.remote()),
                new DescribeTopicPartitionsApi(identity, store, topics)));
        ApiVersionsApi versions = new ApiVersionsApi(identity);
        apis.add(versions);
        Apis all = new Apis(apis);
        versions.announce(all.table());
        return all;
    }

    public Optional<Api<?>> find(short key) {
        return key < 0 || key >= byKey.length ? Optional.empty() : Optional.ofNullable(byKey[key]);
    }

    /** All APIs, ordered by key. */
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

    /** The list that clients get: the versions of each API. */
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
