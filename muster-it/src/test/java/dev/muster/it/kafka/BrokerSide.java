package dev.muster.it.kafka;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * One of the two brokers of a comparison. It maps the ids of this broker to names that both brokers share: {@code b.2}
 * is the second id of client b.
 */
final class BrokerSide implements AutoCloseable {
    private static final int DESCRIBE_VERSION = 5;
    private static final int FIND_VERSION = 4;
    private static final int CREATE_VERSION = 7;
    private static final long PATIENCE_S = 120;
    /** The connection for requests that never wait. */
    private static final String ASIDE = "aside";

    private final String name;
    private final int port;
    private final ToLongFunction<String> journal;
    private final Map<String, Uuid> topicIds = new HashMap<>();
    private final Map<String, RawConnection> connections = new HashMap<>();
    private final Map<String, String> names = new HashMap<>();
    private final Map<String, String> ids = new HashMap<>();
    private String group = "";
    private final Map<String, Integer> given = new HashMap<>();

    /**
     * @param journal function from a group to a number that grows with each change, if the broker has one: shows that a
     *     parked request was processed
     */
    BrokerSide(String name, int port, ToLongFunction<String> journal) {
        this.name = name;
        this.port = port;
        this.journal = journal;
    }

    long journal(String group) {
        return journal.applyAsLong(group);
    }

    /** Drops all clients and ids, before the next script. */
    void beginAnew(String group) throws IOException {
        close();
        this.group = group;
        names.clear();
        ids.clear();
        given.clear();
    }

    void createTopic(String topic, int partitions) throws Exception {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(30_000);
        request.topics()
                .add(new CreatableTopic()
                        .setName(topic)
                        .setNumPartitions(partitions)
                        .setReplicationFactor((short) 1));
        var answer = (CreateTopicsResponseData) ask(request, CREATE_VERSION);
        var made = answer.topics().iterator().next();
        if (made.errorCode() != 0) {
            throw new IOException(name + " does not make a topic: " + made);
        }
        topicIds.put(topic, made.topicId());
    }

    /** Writes this number of records to each partition of a topic. */
    void fill(String topic, int partitions, int records) throws Exception {
        Map<String, Object> options = Map.of("bootstrap.servers", "127.0.0.1:" + port);
        try (var producer = new KafkaProducer<>(options, new ByteArraySerializer(), new ByteArraySerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = 0; i < partitions * records; i++) {
                sent.add(producer.send(new ProducerRecord<>(topic, i % partitions, null, new byte[1])));
            }
            for (Future<RecordMetadata> one : sent) {
                one.get(PATIENCE_S, TimeUnit.SECONDS);
            }
        }
    }

    /** Waits until groups are served: Kafka creates the topic with their state at the first request. */
    void awaitCoordinator() throws Exception {
        FindCoordinatorRequestData find = new FindCoordinatorRequestData().setKeyType((byte) 0);
        find.setCoordinatorKeys(List.of("any"));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2 * PATIENCE_S);
        while (((FindCoordinatorResponseData) ask(find, FIND_VERSION))
                                .coordinators()
                                .getFirst()
                                .errorCode()
                        != 0
                || describe("any").errorCode() != 0) {
            if (System.nanoTime() > deadline) {
                throw new IOException(name + " serves no groups");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    Uuid topicId(String topic) {
        return topicIds.getOrDefault(topic, new Uuid(7, 7));
    }

    CompletableFuture<ApiMessage> send(String client, ApiMessage request, int version) throws IOException {
        RawConnection connection = connections.get(client);
        if (connection == null) {
            connection = new RawConnection(port, client);
            connections.put(client, connection);
        }
        return connection.send(request, version);
    }

    ApiMessage ask(ApiMessage request, int version) throws Exception {
        try {
            return send(ASIDE, request, version).get(PATIENCE_S, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(name + " does not answer " + request, e);
        }
    }

    DescribedGroup describe(String group) throws Exception {
        DescribeGroupsRequestData request = new DescribeGroupsRequestData();
        request.groups().add(group);
        return ((DescribeGroupsResponseData) ask(request, DESCRIBE_VERSION))
                .groups()
                .getFirst();
    }

    /** The id of this name; for an unknown name an id that no member has. */
    String id(String name) {
        return ids.getOrDefault(name, name);
    }

    /** Notes an id that the client got, with a new name if the id is new. */
    void learn(String client, String id) {
        if (!id.isEmpty() && !names.containsKey(id) && !id.equals(GroupScript.NOBODY)) {
            String name = client + "." + given.merge(client, 1, Integer::sum);
            names.put(id, name);
            ids.put(name, id);
        }
    }

    String name(String id) {
        return names.getOrDefault(id, id);
    }

    /** The text of an answer, with names in place of ids. */
    String words(ApiMessage answer) {
        if (answer instanceof JoinGroupResponseData join) {
            join.members().sort(Comparator.comparing((JoinGroupResponseMember member) -> name(member.memberId())));
        }
        if (answer instanceof DescribeGroupsResponseData described) {
            described.groups().forEach(this::sort);
        }
        if (answer instanceof ListGroupsResponseData listed) {
            listed.groups().removeIf(one -> !one.groupId().equals(group));
        }
        if (answer instanceof OffsetCommitResponseData committed) {
            committed.topics().sort(Comparator.comparing(topic -> words(topic.name() + topic.topicId())));
            committed
                    .topics()
                    .forEach(topic -> topic.partitions()
                            .sort(Comparator.comparingInt(OffsetCommitResponsePartition::partitionIndex)));
        }
        if (answer instanceof OffsetDeleteResponseData deleted) {
            List<String> partitions = new ArrayList<>();
            deleted.topics()
                    .forEach(topic ->
                            topic.partitions().forEach(partition -> partitions.add(topic.name() + " " + partition)));
            return "OffsetDelete " + deleted.errorCode()
                    + partitions.stream().sorted().toList();
        }
        if (answer instanceof OffsetFetchResponseData fetched) {
            fetched.groups().forEach(this::sort);
            fetched.topics().sort(Comparator.comparing(OffsetFetchResponseTopic::name));
            fetched.topics()
                    .forEach(topic -> topic.partitions()
                            .sort(Comparator.comparingInt(OffsetFetchResponsePartition::partitionIndex)));
        }
        return words(answer.toString());
    }

    String words(DescribedGroup group) {
        sort(group);
        return words(group.toString());
    }

    private void sort(DescribedGroup group) {
        // A client with a parked join does not know its id yet.
        group.members().stream()
                .filter(member -> !names.containsKey(member.memberId()))
                .forEach(member -> member.setMemberId("new"));
        // KnownDifference.CLIENT_OF_A_REPLACED_MEMBER
        group.members().stream()
                .filter(member -> member.groupInstanceId() != null)
                .forEach(member -> member.setClientId("static"));
        group.members()
                .sort(Comparator.comparing(DescribedGroupMember::clientId)
                        .thenComparing(member -> String.valueOf(member.groupInstanceId()))
                        .thenComparing(member -> name(member.memberId())));
    }

    private void sort(OffsetFetchResponseGroup group) {
        group.setTopics(group.topics().stream()
                .sorted(Comparator.comparing(topic -> words(topic.name() + topic.topicId())))
                .toList());
        group.topics()
                .forEach(topic -> topic.partitions()
                        .sort(Comparator.comparingInt(OffsetFetchResponsePartitions::partitionIndex)));
    }

    private String words(String text) {
        String words = text;
        for (var entry : names.entrySet()) {
            words = words.replace(entry.getKey(), entry.getValue());
        }
        for (var entry : topicIds.entrySet()) {
            words = words.replace(entry.getValue().toString(), entry.getKey());
        }
        return words.replaceAll("throttleTimeMs=\\d+, ", "").replaceAll("rrorMessage='[^']*'", "rrorMessage=words");
    }

    @Override
    public String toString() {
        return name;
    }

    @Override
    public void close() throws IOException {
        for (RawConnection connection : connections.values()) {
            connection.close();
        }
        connections.clear();
    }
}
