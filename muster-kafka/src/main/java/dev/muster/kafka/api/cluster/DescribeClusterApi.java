package dev.muster.kafka.api.cluster;

import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.BrokerIdentity;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Describes the one broker of the cluster. */
@Serves(
        api = ApiKeys.DESCRIBE_CLUSTER,
        from = 0,
        to = 2,
        without = "Controllers and authorized operations are not described.")
public final class DescribeClusterApi extends Api<DescribeClusterRequestData> {
    private static final byte BROKERS = 1;

    private final BrokerIdentity identity;

    public DescribeClusterApi(BrokerIdentity identity) {
        this.identity = identity;
    }

    @Override
    public DescribeClusterRequestData read(Readable bytes, short version) {
        return new DescribeClusterRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<DescribeClusterRequestData> request) {
        DescribeClusterResponseData response = new DescribeClusterResponseData()
                .setEndpointType(request.body().endpointType())
                .setClusterId(identity.clusterId())
                .setControllerId(identity.nodeId());
        if (request.body().endpointType() != BROKERS) {
            return PendingResponse.of(response.setErrorCode(Errors.MISMATCHED_ENDPOINT_TYPE.code())
                    .setErrorMessage("this is a broker; there are no controllers"));
        }
        response.brokers()
                .add(new DescribeClusterBroker()
                        .setBrokerId(identity.nodeId())
                        .setHost(identity.advertised().host())
                        .setPort(identity.advertised().port()));
        return PendingResponse.of(response);
    }
}
