package dev.muster.store.file;

import dev.muster.core.CompressionKind;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Encodes batches of texts and decodes them. */
final class Batches {
    private Batches() {}

    static EncodedBatch of(String... values) {
        return at(1000, values);
    }

    static EncodedBatch at(long timestamp, String... values) {
        BatchBuilder builder = new BatchBuilder(new byte[64 << 10], CompressionKind.NONE);
        for (String value : values) {
            if (!builder.tryAppend(timestamp, null, value.getBytes(StandardCharsets.UTF_8), List.of())) {
                throw new IllegalArgumentException("too much for one batch");
            }
        }
        return builder.finish(-1, (short) -1, -1);
    }

    static List<String> read(PartitionLog log, long from) {
        List<String> values = new ArrayList<>();
        try (LogReader reader = log.reader(from)) {
            for (LogSlice slice = reader.read(1024); !slice.isEmpty(); slice = reader.read(1024)) {
                BatchDecoder records = BatchDecoder.over(slice.bytes());
                while (records.next()) {
                    if (records.offset() >= from) {
                        values.add(new String(records.value(), StandardCharsets.UTF_8));
                    }
                }
            }
        }
        return values;
    }
}
