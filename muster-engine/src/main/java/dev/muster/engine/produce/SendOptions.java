package dev.muster.engine.produce;

import dev.muster.core.CompressionKind;
import java.time.Duration;

/**
 * The settings of a {@link RecordSender}, checked by the constructor.
 *
 * @param compression the compression; null for the topic's
 * @param batchBytes the largest size of a batch, reached when records are sent faster than written; a single larger
 *     record gets a batch of its own
 * @param bufferBytes memory for records that are not written yet
 * @param maxBlock the longest time that {@code send} waits for such memory; zero to fail at once
 * @param deliveryTimeout the longest time from {@code send} to the acknowledgement of a record
 */
public record SendOptions(
        CompressionKind compression, int batchBytes, long bufferBytes, Duration maxBlock, Duration deliveryTimeout) {
    public static final SendOptions DEFAULT =
            new SendOptions(null, 256 << 10, 32 << 20, Duration.ofMinutes(1), Duration.ofMinutes(2));

    private static final int BATCH_BYTES_MIN = 256;
    private static final Duration LONGEST = Duration.ofDays(365);

    public SendOptions {
        if (batchBytes < BATCH_BYTES_MIN) {
            throw new IllegalArgumentException("batchBytes must be at least " + BATCH_BYTES_MIN + ": " + batchBytes);
        }
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("bufferBytes must be positive: " + bufferBytes);
        }
        if (maxBlock.isNegative()) {
            throw new IllegalArgumentException("maxBlock must not be negative: " + maxBlock);
        }
        if (!deliveryTimeout.isPositive()) {
            throw new IllegalArgumentException("deliveryTimeout must be positive: " + deliveryTimeout);
        }
    }

    long deliveryTimeoutNanos() {
        return nanos(deliveryTimeout);
    }

    /** As nanoseconds that can be added to a clock reading: at most a year. */
    static long nanos(Duration time) {
        return time.compareTo(LONGEST) < 0 ? time.toNanos() : LONGEST.toNanos();
    }

    public SendOptions withCompression(CompressionKind kind) {
        return new SendOptions(kind, batchBytes, bufferBytes, maxBlock, deliveryTimeout);
    }

    public SendOptions withBatchBytes(int bytes) {
        return new SendOptions(compression, bytes, bufferBytes, maxBlock, deliveryTimeout);
    }

    public SendOptions withBufferBytes(long bytes) {
        return new SendOptions(compression, batchBytes, bytes, maxBlock, deliveryTimeout);
    }

    public SendOptions withMaxBlock(Duration time) {
        return new SendOptions(compression, batchBytes, bufferBytes, time, deliveryTimeout);
    }

    public SendOptions withDeliveryTimeout(Duration time) {
        return new SendOptions(compression, batchBytes, bufferBytes, maxBlock, time);
    }
}
