package dev.muster.store.file.log.segment;

import dev.muster.store.batch.BatchHeader;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * An entry of a segment that holds no records: the first entry opens the segment, the first seal closes it. A mark is a
 * record batch with the control bit and no records, so that everything in a log file is a batch with a checksum:
 *
 * <pre>
 *   0  head of a record batch  61   control bit set, record count 0, last offset delta -1
 *  61  "MUSTERMK"               8
 *  69  kind                     1   'O' open, 'S' seal
 *  70  version                  1   1
 *  71  topic id                16
 *  87  partition                4
 *  91  base offset              8   of this segment
 *  99  generation               4   of this segment
 * 103  leader epoch             4   of all batches of this segment
 * 107  boot id                 16   of the writer: a whole segment is written within one boot
 * 123  time                     8   milliseconds since 1970
 * </pre>
 *
 * The ids in a mark show that a file was copied to a wrong place.
 */
public record Mark(
        Kind kind, UUID topicId, int partition, SegmentName segment, int leaderEpoch, UUID bootId, long timeMs) {
    public enum Kind {
        OPEN('O'),
        SEAL('S');

        private final byte code;

        Kind(char code) {
            this.code = (byte) code;
        }
    }

    public static final int SIZE = BatchHeader.SIZE + 70;
    private static final long MAGIC = 0x4D55_5354_4552_4D4BL; // "MUSTERMK"
    private static final byte VERSION = 1;

    byte[] encode() {
        byte[] bytes = new byte[SIZE];
        ByteBuffer body = ByteBuffer.wrap(bytes).position(BatchHeader.SIZE);
        body.putLong(MAGIC).put(kind.code).put(VERSION);
        body.putLong(topicId.getMostSignificantBits()).putLong(topicId.getLeastSignificantBits());
        body.putInt(partition)
                .putLong(segment.base())
                .putInt(segment.generation())
                .putInt(leaderEpoch);
        body.putLong(bootId.getMostSignificantBits()).putLong(bootId.getLeastSignificantBits());
        body.putLong(timeMs);
        BatchHeader.write(
                bytes, 0, SIZE, BatchHeader.CONTROL, -1, timeMs, timeMs, BatchHeader.NO_PRODUCER, (short) -1, -1, 0);
        BatchHeader.setBaseOffset(bytes, 0, segment.base());
        BatchHeader.setLeaderEpoch(bytes, 0, leaderEpoch);
        return bytes;
    }

    /** True if the entry with this header is a mark and not a batch of records. */
    static boolean isMark(byte[] bytes, int at) {
        return BatchHeader.recordCount(bytes, at) == 0
                && (BatchHeader.attributes(bytes, at) & BatchHeader.CONTROL) != 0
                && BatchHeader.sizeInBytes(bytes, at) == SIZE;
    }

    /** The mark at this place; null if the bytes are no mark of this format. The caller has checked the checksum. */
    static Mark decode(byte[] bytes, int at) {
        ByteBuffer body = ByteBuffer.wrap(bytes, at + BatchHeader.SIZE, SIZE - BatchHeader.SIZE);
        if (body.getLong() != MAGIC) {
            return null;
        }
        byte code = body.get();
        byte version = body.get();
        if (version != VERSION || code != Kind.OPEN.code && code != Kind.SEAL.code) {
            return null;
        }
        UUID topicId = new UUID(body.getLong(), body.getLong());
        int partition = body.getInt();
        SegmentName segment = new SegmentName(body.getLong(), body.getInt());
        int epoch = body.getInt();
        UUID bootId = new UUID(body.getLong(), body.getLong());
        return new Mark(
                code == Kind.OPEN.code ? Kind.OPEN : Kind.SEAL,
                topicId,
                partition,
                segment,
                epoch,
                bootId,
                body.getLong());
    }

    /** True if this mark was written for that segment of that partition. */
    boolean belongsTo(UUID topic, int number, SegmentName name) {
        return topicId.equals(topic) && partition == number && segment.equals(name);
    }
}
