package dev.muster.cli.produce;

import dev.muster.core.Header;
import dev.muster.embedded.Message;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/**
 * Turns bytes into a record.
 *
 * @param partition null to choose by the key
 * @param timestamp null for the time of sending
 * @param key the key of records without one; may be null
 * @param separator splits key and value at its first occurrence; null if lines are values
 * @param emptyIsNull true if an empty value is a tombstone
 */
record TextRecord(
        Integer partition, Instant timestamp, byte[] key, byte[] separator, boolean emptyIsNull, List<Header> headers) {

    Message<byte[], byte[]> record(byte[] line, int from, int to) {
        int split = separator == null ? -1 : indexOf(line, from, to);
        if (split < 0) {
            return message(key, Arrays.copyOfRange(line, from, to));
        }
        return message(Arrays.copyOfRange(line, from, split), Arrays.copyOfRange(line, split + separator.length, to));
    }

    Message<byte[], byte[]> whole(byte[] bytes) {
        return message(key, bytes);
    }

    private Message<byte[], byte[]> message(byte[] recordKey, byte[] value) {
        return new Message<>(partition, timestamp, recordKey, emptyIsNull && value.length == 0 ? null : value, headers);
    }

    private int indexOf(byte[] line, int from, int to) {
        for (int at = from; at <= to - separator.length; at++) {
            if (Arrays.equals(line, at, at + separator.length, separator, 0, separator.length)) {
                return at;
            }
        }
        return -1;
    }
}
