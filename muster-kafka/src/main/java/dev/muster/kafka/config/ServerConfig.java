package dev.muster.kafka.config;

import dev.muster.core.MusterException;
import dev.muster.core.Spelling;
import dev.muster.core.TimestampWindow;
import dev.muster.core.TopicSettings;
import dev.muster.engine.group.session.ClassicConfig;
import dev.muster.engine.group.session.RemoteConfig;
import dev.muster.kafka.sasl.Mechanism;
import dev.muster.kafka.sasl.SaslConfig;
import dev.muster.store.DiskState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The settings of a server, which are always valid. Keys are spelled as Kafka spells them if they have Kafka's meaning
 * ({@link #toMap}); an unknown key is an error.
 *
 * @param nodeId the number of this broker ({@code node.id})
 * @param createsTopics true if a request for a missing topic creates it ({@code auto.create.topics.enable})
 * @param partitions the number of partitions of topics that are created without one ({@code num.partitions})
 * @param requestBytesMax the largest request, at most an eighth of the heap ({@code socket.request.max.bytes})
 * @param queuedBytesMax the memory for requests that are arriving, of all connections, at most a quarter of the heap
 *     ({@code queued.max.request.bytes})
 * @param fetchBytesMax the most bytes of a fetch response, even if the client asks for more ({@code fetch.max.bytes})
 * @param connectionsMax the most connections at one time ({@code max.connections})
 * @param idleMax the longest silence of a connection ({@code connections.max.idle.ms})
 * @param fetchSessionsMax the most fetch sessions at one time ({@code max.incremental.fetch.session.cache.slots})
 * @param sasl the login of clients ({@code sasl.enabled.mechanisms} and so on)
 * @param groups the limits of members of consumer groups ({@code group.min.session.timeout.ms} and so on)
 * @param remoteGroups the same for members of the new group protocol ({@code group.consumer.session.timeout.ms} and so
 *     on)
 * @param diskMinFree the bytes of the disk that records leave free, for all processes that use the directory; negative
 *     for the value of the directory ({@code muster.disk.min.free})
 * @param topicDefaults the settings of topics that are created without others ({@code muster.sync},
 *     {@code log.retention.ms} and so on)
 */
public record ServerConfig(
        int nodeId,
        boolean createsTopics,
        int partitions,
        int requestBytesMax,
        long queuedBytesMax,
        int fetchBytesMax,
        int connectionsMax,
        Duration idleMax,
        int fetchSessionsMax,
        SaslConfig sasl,
        ClassicConfig groups,
        RemoteConfig remoteGroups,
        long diskMinFree,
        TopicSettings topicDefaults) {

    private static final long NO_GRACE = -1;

    public static final ServerConfig DEFAULT = new ServerConfig(
            1,
            true,
            1,
            100 << 20,
            256L << 20,
            55 << 20,
            10_000,
            Duration.ofMinutes(10),
            1_000,
            SaslConfig.OFF,
            ClassicConfig.DEFAULT,
            RemoteConfig.DEFAULT,
            -1,
            TopicSettings.DEFAULT);

    public ServerConfig {
        check(nodeId >= 0, "node.id", "0 or more", nodeId);
        check(partitions > 0, "num.partitions", "positive", partitions);
        check(requestBytesMax >= 1 << 10, "socket.request.max.bytes", "at least 1024", requestBytesMax);
        check(queuedBytesMax >= 1 << 20, "queued.max.request.bytes", "at least 1048576", queuedBytesMax);
        check(fetchBytesMax >= 1 << 10, "fetch.max.bytes", "at least 1024", fetchBytesMax);
        check(connectionsMax > 0, "max.connections", "positive", connectionsMax);
        check(
                idleMax.isPositive() && idleMax.compareTo(SaslConfig.TIME_MAX) <= 0,
                "connections.max.idle.ms",
                "positive and at most " + SaslConfig.TIME_MAX.toMillis(),
                idleMax.toMillis());
        check(fetchSessionsMax >= 0, "max.incremental.fetch.session.cache.slots", "0 or more", fetchSessionsMax);
    }

    private static void check(boolean holds, String key, String must, long is) {
        if (!holds) {
            throw new MusterException(key + " must be " + must + ", it is " + is);
        }
    }

    /** All keys with their values, in a fixed order. */
    public Map<String, String> toMap() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("node.id", Integer.toString(nodeId));
        map.put("auto.create.topics.enable", Boolean.toString(createsTopics));
        map.put("num.partitions", Integer.toString(partitions));
        map.put("socket.request.max.bytes", Integer.toString(requestBytesMax));
        map.put("queued.max.request.bytes", Long.toString(queuedBytesMax));
        map.put("fetch.max.bytes", Integer.toString(fetchBytesMax));
        map.put("max.connections", Integer.toString(connectionsMax));
        map.put("connections.max.idle.ms", Long.toString(idleMax.toMillis()));
        map.put("max.incremental.fetch.session.cache.slots", Integer.toString(fetchSessionsMax));
        map.put(
                "sasl.enabled.mechanisms",
                sasl.mechanisms().stream().map(Mechanism::wireName).collect(Collectors.joining(",")));
        map.put("muster.sasl.users.file", sasl.users().map(Path::toString).orElse(""));
        map.put("sasl.server.max.receive.size", Integer.toString(sasl.frameBytesMax()));
        map.put("muster.sasl.timeout.ms", Long.toString(sasl.patience().toMillis()));
        map.put(
                "connection.failed.authentication.delay.ms",
                Long.toString(sasl.failureDelay().toMillis()));
        map.put("connections.max.reauth.ms", Long.toString(sasl.sessionMax().toMillis()));
        map.put(
                "group.min.session.timeout.ms",
                Long.toString(groups.sessionMin().toMillis()));
        map.put(
                "group.max.session.timeout.ms",
                Long.toString(groups.sessionMax().toMillis()));
        map.put("group.max.size", Integer.toString(groups.sizeMax()));
        map.put(
                "group.initial.rebalance.delay.ms",
                Long.toString(groups.settleMax().toMillis()));
        map.put(
                "group.consumer.session.timeout.ms",
                Long.toString(remoteGroups.session().toMillis()));
        map.put(
                "group.consumer.heartbeat.interval.ms",
                Long.toString(remoteGroups.pauseMax().toMillis()));
        map.put("group.consumer.max.size", Integer.toString(remoteGroups.sizeMax()));
        map.put(
                "group.lost.connection.grace.ms",
                Long.toString(remoteGroups.grace().map(Duration::toMillis).orElse(NO_GRACE)));
        map.put(DiskState.MIN_FREE, Long.toString(diskMinFree));
        topicDefaults.toMap().forEach((key, value) -> map.put(serverKey(key), value));
        return map;
    }

    /** The defaults, overridden by these keys and values; unknown keys are refused. */
    public static ServerConfig fromMap(Map<String, String> map) {
        Map<String, String> all = DEFAULT.toMap();
        for (var entry : map.entrySet()) {
            if (!all.containsKey(entry.getKey())) {
                throw new MusterException(
                        "unknown setting \"" + entry.getKey() + "\"",
                        Spelling.nearest(entry.getKey(), all.keySet())
                                .map(near -> "did you mean " + near + "?")
                                .orElse("known are " + String.join(", ", all.keySet())));
            }
            all.put(entry.getKey(), entry.getValue().strip());
        }
        Map<String, String> topics = new LinkedHashMap<>();
        for (String key : TopicSettings.DEFAULT.toMap().keySet()) {
            topics.put(key, all.get(serverKey(key)));
        }
        return new ServerConfig(
                integer(all, "node.id"),
                flag(all, "auto.create.topics.enable"),
                integer(all, "num.partitions"),
                integer(all, "socket.request.max.bytes"),
                number(all, "queued.max.request.bytes"),
                integer(all, "fetch.max.bytes"),
                integer(all, "max.connections"),
                millis(all, "connections.max.idle.ms"),
                integer(all, "max.incremental.fetch.session.cache.slots"),
                sasl(all),
                groups(all),
                remoteGroups(all),
                number(all, DiskState.MIN_FREE),
                TopicSettings.fromMap(topics));
    }

    private static SaslConfig sasl(Map<String, String> all) {
        String file = all.get("muster.sasl.users.file");
        return new SaslConfig(
                Arrays.stream(all.get("sasl.enabled.mechanisms").split(","))
                        .map(String::strip)
                        .filter(name -> !name.isEmpty())
                        .map(ServerConfig::mechanism)
                        .distinct()
                        .toList(),
                file.isEmpty() ? Optional.empty() : Optional.of(Path.of(file)),
                integer(all, "sasl.server.max.receive.size"),
                millis(all, "muster.sasl.timeout.ms"),
                millis(all, "connection.failed.authentication.delay.ms"),
                millis(all, "connections.max.reauth.ms"));
    }

    private static Mechanism mechanism(String name) {
        return Mechanism.find(name)
                .orElseThrow(() -> new MusterException(
                        "sasl.enabled.mechanisms: \"" + name + "\" is not known",
                        "known are "
                                + Arrays.stream(Mechanism.values())
                                        .map(Mechanism::wireName)
                                        .collect(Collectors.joining(", "))));
    }

    private static ClassicConfig groups(Map<String, String> all) {
        try {
            return new ClassicConfig(
                    millis(all, "group.min.session.timeout.ms"),
                    millis(all, "group.max.session.timeout.ms"),
                    integer(all, "group.max.size"),
                    ClassicConfig.DEFAULT.settle(),
                    millis(all, "group.initial.rebalance.delay.ms"),
                    ClassicConfig.DEFAULT.joinMax(),
                    grace(all));
        } catch (IllegalArgumentException e) {
            throw new MusterException(e.getMessage(), null, e);
        }
    }

    private static RemoteConfig remoteGroups(Map<String, String> all) {
        try {
            return new RemoteConfig(
                    millis(all, "group.consumer.session.timeout.ms"),
                    millis(all, "group.consumer.heartbeat.interval.ms"),
                    integer(all, "group.consumer.max.size"),
                    grace(all));
        } catch (IllegalArgumentException e) {
            throw new MusterException(e.getMessage(), null, e);
        }
    }

    /** The grace period; empty if the number is negative. */
    private static Optional<Duration> grace(Map<String, String> all) {
        Duration grace = millis(all, "group.lost.connection.grace.ms");
        return grace.isNegative() ? Optional.empty() : Optional.of(grace);
    }

    /** Kafka's key for the default of a topic's setting. */
    private static String serverKey(String topicKey) {
        return switch (topicKey) {
            case "flush.ms" -> "log.flush.interval.ms";
            case "segment.bytes" -> "log.segment.bytes";
            case "segment.ms" -> "log.roll.ms";
            case "retention.bytes" -> "log.retention.bytes";
            case "retention.ms" -> "log.retention.ms";
            case "max.message.bytes" -> "message.max.bytes";
            case "index.interval.bytes" -> "log.index.interval.bytes";
            case "message.timestamp.type" -> "log.message.timestamp.type";
            case TimestampWindow.BEFORE_MAX -> "log.message.timestamp.before.max.ms";
            case TimestampWindow.AFTER_MAX -> "log.message.timestamp.after.max.ms";
            default -> topicKey;
        };
    }

    private static int integer(Map<String, String> map, String key) {
        long number = number(map, key);
        check(number >= Integer.MIN_VALUE && number <= Integer.MAX_VALUE, key, "below 2147483648", number);
        return (int) number;
    }

    private static Duration millis(Map<String, String> map, String key) {
        long number = number(map, key);
        check(number <= SaslConfig.TIME_MAX.toMillis(), key, "at most " + SaslConfig.TIME_MAX.toMillis(), number);
        return Duration.ofMillis(number);
    }

    private static long number(Map<String, String> map, String key) {
        try {
            return Long.parseLong(map.get(key));
        } catch (NumberFormatException e) {
            throw new MusterException(key + " must be a whole number, it is \"" + map.get(key) + "\"", null, e);
        }
    }

    private static boolean flag(Map<String, String> map, String key) {
        return switch (map.get(key)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new MusterException(key + " must be true or false, it is \"" + map.get(key) + "\"");
        };
    }
}
