package dev.muster.store.batch;

import dev.muster.core.Header;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random lists of records with null, empty, small and large parts and any timestamp. The first offset is 0. The same
 * random source gives the same lists.
 */
final class RandomRecords {
    private static final int RECORDS_MAX = 200;
    private static final long[] TIMES_AT_A_BORDER = {
        0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1
    };

    private final Random random;

    RandomRecords(Random random) {
        this.random = random;
    }

    List<LogRecord> anyTime() {
        return records(false);
    }

    /** Records whose times the builder of kafka-clients accepts, which are not negative. */
    List<LogRecord> kafkaTime() {
        return records(true);
    }

    private List<LogRecord> records(boolean notNegative) {
        List<LogRecord> records = new ArrayList<>();
        int count = random.nextInt(5) == 0 ? 1 : random.nextInt(1, RECORDS_MAX + 1);
        while (records.size() < count) {
            long time = time();
            records.add(new LogRecord(
                    records.size(), notNegative ? time & Long.MAX_VALUE : time, bytes(), bytes(), headers()));
        }
        return records;
    }

    private long time() {
        return random.nextInt(4) == 0
                ? TIMES_AT_A_BORDER[random.nextInt(TIMES_AT_A_BORDER.length)]
                : random.nextLong() >> random.nextInt(64);
    }

    private byte[] bytes() {
        return switch (random.nextInt(10)) {
            case 0 -> null;
            case 1 -> new byte[random.nextInt(60, 20_001)];
            default -> {
                byte[] small = new byte[random.nextInt(41)];
                random.nextBytes(small);
                yield small;
            }
        };
    }

    private List<Header> headers() {
        List<Header> headers = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            headers.add(new Header(text(), bytes()));
        }
        return headers;
    }

    /** Text without surrogates: half a pair has no UTF-8 encoding. */
    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(9); i > 0; i--) {
            char c = (char) random.nextInt(random.nextBoolean() ? 128 : Character.MAX_VALUE + 1);
            text.append(Character.isSurrogate(c) ? '?' : c);
        }
        return text.toString();
    }
}
