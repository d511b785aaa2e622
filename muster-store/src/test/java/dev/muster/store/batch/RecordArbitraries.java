package dev.muster.store.batch;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Records as properties need them: absent, empty, small and large parts, any timestamp. Offsets count from 0. */
final class RecordArbitraries {
    private RecordArbitraries() {}

    static Arbitrary<List<LogRecord>> records(Arbitrary<Long> timestamps) {
        return Combinators.combine(timestamps, bytes(), bytes(), headers())
                .as((time, key, value, headers) -> new LogRecord(0, time, key, value, headers))
                .list()
                .ofMinSize(1)
                .ofMaxSize(200)
                .map(RecordArbitraries::numbered);
    }

    static Arbitrary<Long> anyTimestamp() {
        return Arbitraries.longs();
    }

    /** What the builder of kafka-clients accepts. */
    static Arbitrary<Long> kafkaTimestamp() {
        return Arbitraries.longs().between(0, Long.MAX_VALUE);
    }

    private static Arbitrary<byte[]> bytes() {
        Arbitrary<byte[]> small = Arbitraries.bytes().array(byte[].class).ofMaxSize(40);
        Arbitrary<byte[]> large = Arbitraries.integers().between(60, 20_000).map(byte[]::new);
        return Arbitraries.frequencyOf(Tuple.of(8, small), Tuple.of(1, large), Tuple.of(1, Arbitraries.just(null)));
    }

    private static Arbitrary<List<Header>> headers() {
        Arbitrary<String> keys = Arbitraries.strings().ofMaxLength(8).excludeChars(surrogates());
        return Combinators.combine(keys, bytes()).as(Header::new).list().ofMaxSize(3);
    }

    private static char[] surrogates() {
        char[] all = new char[Character.MAX_SURROGATE - Character.MIN_SURROGATE + 1];
        for (int i = 0; i < all.length; i++) {
            all[i] = (char) (Character.MIN_SURROGATE + i);
        }
        return all;
    }

    private static List<LogRecord> numbered(List<LogRecord> records) {
        List<LogRecord> numbered = new ArrayList<>();
        for (LogRecord r : records) {
            numbered.add(new LogRecord(numbered.size(), r.timestamp(), r.key(), r.value(), r.headers()));
        }
        return numbered;
    }
}
