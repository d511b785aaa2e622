package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.BrokerIdentity;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.LogStore;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/** Describes the sizes of partitions. */
@Serves(
        api = ApiKeys.DESCRIBE_LOG_DIRS,
        from = 1,
        to = 5,
        without = "There is one log directory, named after the cluster: a store need not be a directory. Its total and "
                + "usable bytes are not sent.")
public final class DescribeLogDirsApi extends Api<DescribeLogDirsRequestData> {
    private final BrokerIdentity identity;
    private final LogStore store;
    private final TopicDirectory topics;

    public DescribeLogDirsApi(BrokerIdentity identity, LogStore store, TopicDirectory topics) {
        this.identity = identity;
        this.store = store;
        this.topics = topics;
    }

    @Override
    public DescribeLogDirsRequestData read(Readable bytes, short version) {
        return new DescribeLogDirsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<DescribeLogDirsRequestData> request) {
        DescribeLogDirsResult here = new DescribeLogDirsResult().setLogDir(identity.clusterId());
        if (request.body().topics() == null) {
            for (Topic topic : store.list()) {
                here.topics()
                        .add(measure(
                                topic.name().value(),
                                IntStream.range(0, topic.partitions()).boxed().toList()));
            }
        } else {
            request.body().topics().forEach(topic -> here.topics().add(measure(topic.topic(), topic.partitions())));
        }
        return PendingResponse.of(new DescribeLogDirsResponseData().setResults(List.of(here)));
    }

    private DescribeLogDirsTopic measure(String name, List<Integer> partitions) {
        DescribeLogDirsTopic result = new DescribeLogDirsTopic().setName(name);
        for (int partition : partitions) {
            try {
                long size = topics.log(name, partition).sizeBytes();
                result.partitions()
                        .add(new DescribeLogDirsPartition()
                                .setPartitionIndex(partition)
                                .setPartitionSize(size));
            } catch (MusterException e) {
                // Unknown partitions are left out of the response, as with Kafka.
                continue;
            }
        }
        return result;
    }
}
