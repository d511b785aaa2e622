package dev.muster.core;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of a topic, checked. A key is Kafka's where the meaning is Kafka's ({@link #toMap}). An unknown key is
 * an error.
 *
 * @param sync meaning of "acknowledged" ({@code muster.sync})
 * @param flushInterval time between two syncs of a topic with {@code sync=interval} ({@code flush.ms})
 * @param segmentBytes largest size of a segment ({@code segment.bytes})
 * @param segmentAge largest age of the active segment ({@code segment.ms})
 * @param retentionBytes size from which a partition loses its oldest segments; -1 for no limit
 *     ({@code retention.bytes})
 * @param retentionTime age of the newest record at which a segment is deleted; zero for never ({@code retention.ms})
 * @param messageBytesMax size of the largest record batch, encoded, uncompressed ({@code max.message.bytes})
 * @param indexInterval log bytes between two entries of the sparse index ({@code index.interval.bytes})
 * @param compression compression of embedded producers that choose none ({@code compression.type})
 * @param recordTime clock from which record timestamps are taken ({@code message.timestamp.type})
 * @param timestampWindow timestamps that producers may give to records ({@code message.timestamp.before.max.ms} and
 *     {@code message.timestamp.after.max.ms})
 */
public record TopicSettings(
        SyncLevel sync,
        Duration flushInterval,
        long segmentBytes,
        Duration segmentAge,
        long retentionBytes,
        Duration retentionTime,
        int messageBytesMax,
        int indexInterval,
        CompressionKind compression,
        RecordTime recordTime,
        TimestampWindow timestampWindow) {

    public static final long UNLIMITED = -1;

    public static final TopicSettings DEFAULT = new TopicSettings(
            SyncLevel.COMMIT,
            Duration.ofSeconds(1),
            256L << 20,
            Duration.ofDays(7),
            UNLIMITED,
            Duration.ofDays(7),
            1_048_588,
            64 << 10,
            CompressionKind.NONE,
            RecordTime.CREATE,
            TimestampWindow.DEFAULT);

    public TopicSettings {
        check(flushInterval.isPositive(), "flush.ms", "positive", flushInterval.toMillis());
        check(segmentBytes >= 1 << 10, "segment.bytes", "at least 1024", segmentBytes);
        check(segmentAge.isPositive(), "segment.ms", "positive", segmentAge.toMillis());
        check(retentionBytes >= UNLIMITED, "retention.bytes", "-1 (no limit) or more", retentionBytes);
        check(!retentionTime.isNegative(), "retention.ms", "-1 (for ever) or more", retentionTime.toMillis());
        check(messageBytesMax >= 128, "max.message.bytes", "at least 128", messageBytesMax);
        check(indexInterval >= 16, "index.interval.bytes", "at least 16", indexInterval);
    }

    private static void check(boolean holds, String key, String must, long is) {
        if (!holds) {
            throw new MusterException(key + " must be " + must + ", it is " + is);
        }
    }

    public TopicSettings withSync(SyncLevel level) {
        return with("muster.sync", level.toString());
    }

    public TopicSettings withRetention(Duration time) {
        return with("retention.ms", Long.toString(time.toMillis()));
    }

    public TopicSettings withSegmentBytes(long bytes) {
        return with("segment.bytes", Long.toString(bytes));
    }

    /**
     * True if a producer may give this timestamp to a record. With {@link RecordTime#LOG_APPEND} any is allowed,
     * because the log replaces it.
     */
    public boolean allowsTimestamp(long timestamp, long nowMs) {
        return recordTime == RecordTime.LOG_APPEND || timestampWindow.allows(timestamp, nowMs);
    }

    /** The same settings with one key changed. */
    public TopicSettings with(String key, String value) {
        Map<String, String> map = toMap();
        map.put(key, value);
        return fromMap(map);
    }

    /**
     * All settings under their Kafka keys, in a fixed order. {@code retention.ms} is -1 if records are never deleted by
     * age.
     */
    public Map<String, String> toMap() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("muster.sync", sync.toString());
        map.put("flush.ms", Long.toString(flushInterval.toMillis()));
        map.put("segment.bytes", Long.toString(segmentBytes));
        map.put("segment.ms", Long.toString(segmentAge.toMillis()));
        map.put("retention.bytes", Long.toString(retentionBytes));
        map.put("retention.ms", Long.toString(retentionTime.isZero() ? UNLIMITED : retentionTime.toMillis()));
        map.put("max.message.bytes", Integer.toString(messageBytesMax));
        map.put("index.interval.bytes", Integer.toString(indexInterval));
        map.put("compression.type", compression.toString());
        map.put("message.timestamp.type", recordTime.toString());
        map.put(TimestampWindow.BEFORE_MAX, Long.toString(timestampWindow.beforeMaxMs()));
        map.put(TimestampWindow.AFTER_MAX, Long.toString(timestampWindow.afterMaxMs()));
        return map;
    }

    /** Settings from keys and values. A missing key gets its default; an unknown key is refused. */
    public static TopicSettings fromMap(Map<String, String> map) {
        Map<String, String> all = DEFAULT.toMap();
        for (var entry : map.entrySet()) {
            if (!all.containsKey(entry.getKey())) {
                throw new MusterException(
                        "unknown topic setting \"" + entry.getKey() + "\"",
                        "known are " + String.join(", ", all.keySet()));
            }
            all.put(entry.getKey(), entry.getValue());
        }
        long retentionMs = number(all, "retention.ms");
        return new TopicSettings(
                SyncLevel.parse(all.get("muster.sync")),
                Duration.ofMillis(number(all, "flush.ms")),
                number(all, "segment.bytes"),
                Duration.ofMillis(number(all, "segment.ms")),
                number(all, "retention.bytes"),
                retentionMs == UNLIMITED ? Duration.ZERO : Duration.ofMillis(retentionMs),
                Math.toIntExact(Math.min(Integer.MAX_VALUE, number(all, "max.message.bytes"))),
                Math.toIntExact(Math.min(Integer.MAX_VALUE, number(all, "index.interval.bytes"))),
                CompressionKind.parse(all.get("compression.type")),
                RecordTime.parse(all.get("message.timestamp.type")),
                new TimestampWindow(number(all, TimestampWindow.BEFORE_MAX), number(all, TimestampWindow.AFTER_MAX)));
    }

    private static long number(Map<String, String> map, String key) {
        try {
            return Long.parseLong(map.get(key).strip());
        } catch (NumberFormatException e) {
            throw new MusterException(key + " must be a whole number, it is \"" + map.get(key) + "\"", null, e);
        }
    }
}
