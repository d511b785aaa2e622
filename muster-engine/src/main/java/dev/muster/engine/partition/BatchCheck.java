package dev.muster.engine.partition;

import dev.muster.core.CompressionKind;
import dev.muster.core.TopicSettings;
import dev.muster.engine.partition.RefusedBatchException.Reason;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.BatchTooLargeException;
import dev.muster.store.batch.CompressedBatchCheck;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.batch.InvalidBatchException;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;

/**
 * Checks batches of clients before they are appended, so that every later reader can read them. Visits every record,
 * also of compressed batches. It unpacks those piece by piece, so a few bytes that unpack to gigabytes do no harm.
 */
public final class BatchCheck {
    /** Consumers unpack a batch as a whole, so its unpacked size has a limit like its size. */
    private static final int UNPACKED_TIMES_MAX = 8;

    private static final int UNPACKED_BYTES_ALWAYS = 16 << 20;
    /** Less than the limit of {@link BatchDecoder}. */
    private static final int UNPACKED_BYTES_MAX = 128 << 20;

    private static final int ZSTD_FROM = 7;
    /**
     * The number of batches that may be unpacked beyond their first slice at one time. Each needs the memory of a
     * decompression window.
     */
    private static final int LONG_WALKS = 64;
    /** The number of further batches that may be in their first slice. */
    private static final int SHORT_WALKS = 16;

    private final BlockingQueue<CompressedBatchCheck> walks = new ArrayBlockingQueue<>(LONG_WALKS + SHORT_WALKS, true);
    private final Semaphore longWalks = new Semaphore(LONG_WALKS, true);
    private final UnpackingTurns turns =
            new UnpackingTurns(Math.max(2, Runtime.getRuntime().availableProcessors()));

    public BatchCheck() {
        for (int i = 0; i < LONG_WALKS + SHORT_WALKS; i++) {
            walks.add(new CompressedBatchCheck());
        }
    }

    /**
     * Checks the single batch that a produce request has for a partition.
     *
     * @param produceVersion the version of the request: newer compressions need newer versions
     * @param settings the settings of the topic
     * @param nowMs the wall-clock time that timestamps of records are compared with
     * @return the batch; the largest timestamp in its header is corrected to that of its records
     * @throws RefusedBatchException if the batch must not be appended
     */
    public EncodedBatch check(ByteBuffer records, short produceVersion, TopicSettings settings, long nowMs) {
        int bytesMax = settings.messageBytesMax();
        int size = checkHead(records, bytesMax);
        byte[] array = records.array();
        int at = records.arrayOffset() + records.position();
        int attributes = BatchHeader.attributes(array, at);
        if ((attributes & BatchHeader.CONTROL) != 0) {
            throw invalid("a client may not write control batches");
        }
        if ((attributes & BatchHeader.TRANSACTIONAL) != 0) {
            throw new RefusedBatchException(
                    Reason.TRANSACTIONAL, "transactions are not served, and this batch belongs to one");
        }
        if ((attributes & BatchHeader.LOG_APPEND_TIME) != 0) {
            throw new RefusedBatchException(
                    Reason.INVALID_TIMESTAMP, "only the log sets the time of a batch to the time of its append");
        }
        checkNumbers(array, at);
        if ((attributes & BatchHeader.COMPRESSION_MASK) == CompressionKind.ZSTD.id() && produceVersion < ZSTD_FROM) {
            throw new RefusedBatchException(
                    Reason.UNSUPPORTED_COMPRESSION, "zstd needs version " + ZSTD_FROM + " of Produce");
        }
        if (!BatchHeader.crcHolds(array, at)) {
            throw new RefusedBatchException(Reason.CORRUPT, "the checksum of the batch does not hold");
        }
        TimestampCheck timestamps = new TimestampCheck(settings, nowMs, BatchHeader.baseTimestamp(array, at));
        walk(records, bytesMax, timestamps);
        timestamps.finish(array, at);
        return new EncodedBatch(array, at, size);
    }

    private static int checkHead(ByteBuffer records, int bytesMax) {
        int left = records.remaining();
        if (left < BatchHeader.SIZE) {
            throw invalid("the data of a partition has only " + left + " bytes; a record batch has at least "
                    + BatchHeader.SIZE);
        }
        byte[] array = records.array();
        int at = records.arrayOffset() + records.position();
        if (BatchHeader.magic(array, at) != BatchHeader.MAGIC) {
            throw invalid("record format " + BatchHeader.magic(array, at) + ", only 2 is taken");
        }
        int size = BatchHeader.sizeInBytes(array, at);
        if (size < BatchHeader.SIZE || size > left) {
            throw new RefusedBatchException(
                    Reason.CORRUPT, "a batch says that it has " + size + " bytes, " + left + " are there");
        }
        if (size < left) {
            throw invalid("one batch for each partition, not more");
        }
        if (size > bytesMax) {
            throw new RefusedBatchException(
                    Reason.TOO_LARGE, "a batch of " + size + " bytes, max.message.bytes of the topic is " + bytesMax);
        }
        return size;
    }

    private static void checkNumbers(byte[] array, int at) {
        int count = BatchHeader.recordCount(array, at);
        if (count <= 0 || BatchHeader.lastOffsetDelta(array, at) != count - 1) {
            throw invalid("a batch of " + count + " records whose last offset delta is "
                    + BatchHeader.lastOffsetDelta(array, at));
        }
        if (BatchHeader.producerId(array, at) != BatchHeader.NO_PRODUCER
                && (BatchHeader.baseSequence(array, at) < 0 || BatchHeader.producerEpoch(array, at) < 0)) {
            throw invalid("sequence " + BatchHeader.baseSequence(array, at) + " of producer "
                    + BatchHeader.producerId(array, at));
        }
    }

    private void walk(ByteBuffer records, int bytesMax, TimestampCheck timestamps) {
        byte[] array = records.array();
        int at = records.arrayOffset() + records.position();
        BatchHeader.setBaseOffset(array, at, 0);
        try {
            if ((BatchHeader.attributes(array, at) & BatchHeader.COMPRESSION_MASK) == CompressionKind.NONE.id()) {
                BatchDecoder decoder = BatchDecoder.over(records);
                while (decoder.next()) {
                    timestamps.accept(decoder.timestampDelta());
                }
            } else {
                walkPacked(array, at, bytesMax, timestamps);
            }
        } catch (BatchTooLargeException e) {
            // Kafka's producers split such a batch and send its parts.
            throw new RefusedBatchException(
                    Reason.TOO_LARGE,
                    "a batch unpacks to more than " + unpackedBytesMax(bytesMax)
                            + " bytes, max.message.bytes of the topic is " + bytesMax);
        } catch (InvalidBatchException e) {
            throw invalid(e.getMessage());
        }
    }

    /** The number of bytes that a compressed batch may unpack to in a topic with this {@code max.message.bytes}. */
    static int unpackedBytesMax(int bytesMax) {
        return Math.clamp((long) UNPACKED_TIMES_MAX * bytesMax, UNPACKED_BYTES_ALWAYS, UNPACKED_BYTES_MAX);
    }

    /**
     * Checks a compressed batch. If the batch is longer than a slice and too many long batches are in progress, it
     * gives its memory back, waits, and starts again. So a small batch waits only for slices, however many large
     * batches there are.
     */
    private void walkPacked(byte[] array, int at, int bytesMax, TimestampCheck timestamps) {
        boolean isLong = false;
        try {
            if (!walkOnce(new Walk(array, at, bytesMax, timestamps, false))) {
                longWalks.acquire();
                isLong = true;
                timestamps.restart();
                walkOnce(new Walk(array, at, bytesMax, timestamps, true));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RefusedBatchException(Reason.CONNECTION_CLOSED, "the connection was closed");
        } finally {
            if (isLong) {
                longWalks.release();
            }
        }
    }

    /** @return False if the batch is long and must wait until another long one ends */
    private boolean walkOnce(Walk walk) throws InterruptedException {
        CompressedBatchCheck window = walks.take();
        try {
            return walk.run(window, turns.begin());
        } finally {
            walks.add(window);
            if (walk.took) {
                longWalks.release();
            }
        }
    }

    /** One attempt to walk over a batch. */
    private final class Walk {
        private final byte[] array;
        private final int at;
        private final int bytesMax;
        private final TimestampCheck timestamps;
        private boolean isLong;
        /** True if this attempt acquired a permit of {@code longWalks} itself. */
        private boolean took;

        private boolean hasToWait;

        private Walk(byte[] array, int at, int bytesMax, TimestampCheck timestamps, boolean isLong) {
            this.array = array;
            this.at = at;
            this.bytesMax = bytesMax;
            this.timestamps = timestamps;
            this.isLong = isLong;
        }

        private boolean run(CompressedBatchCheck window, UnpackingTurns.Turn turn) {
            try {
                window.check(array, at, unpackedBytesMax(bytesMax), bytes -> unpacked(bytes, turn), timestamps);
                return true;
            } catch (InvalidBatchException e) {
                if (hasToWait) {
                    return false;
                }
                throw e;
            } finally {
                turn.end();
            }
        }

        private void unpacked(long bytes, UnpackingTurns.Turn turn) {
            if (!isLong && bytes > UnpackingTurns.SLICE_BYTES) {
                // Batches that already wait for a permit go first.
                took = !longWalks.hasQueuedThreads() && longWalks.tryAcquire();
                isLong = took;
                hasToWait = !took;
                if (hasToWait) {
                    throw new IllegalStateException("the batch must wait for a long walk");
                }
            }
            turn.unpacked(bytes);
        }
    }

    private static RefusedBatchException invalid(String message) {
        return new RefusedBatchException(Reason.INVALID_RECORD, message);
    }
}
