package dev.muster.kafka.api;

import dev.muster.kafka.Answer;
import dev.muster.kafka.Broker;
import dev.muster.kafka.Request;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** The one broker there is. */
@Serves(
        api = ApiKeys.DESCRIBE_CLUSTER,
        from = 0,
        to = 2,
        without = "There are no controllers to be described, and authorized operations are not told.")
public final class DescribeClusterApi extends Api<DescribeClusterRequestData> {
    private static final byte BROKERS = 1;

    private final Broker broker;

    DescribeClusterApi(Broker broker) {
        this.broker = broker;
    }

    @Override
    public DescribeClusterRequestData read(Readable bytes, short version) {
        return new DescribeClusterRequestData(bytes, version);
    }

    @Override
    public Answer begin(Request<DescribeClusterRequestData> request) {
        DescribeClusterResponseData response = new DescribeClusterResponseData()
                .setEndpointType(request.body().endpointType())
                .setClusterId(ClusterName.of(broker.store().id()))
                .setControllerId(broker.config().nodeId());
        if (request.body().endpointType() != BROKERS) {
            return Answer.of(response.setErrorCode(Errors.MISMATCHED_ENDPOINT_TYPE.code())
                    .setErrorMessage("this is a broker; there are no controllers"));
        }
        response.brokers()
                .add(new DescribeClusterBroker()
                        .setBrokerId(broker.config().nodeId())
                        .setHost(broker.advertised().host())
                        .setPort(broker.advertised().port()));
        return Answer.of(response);
    }
}
