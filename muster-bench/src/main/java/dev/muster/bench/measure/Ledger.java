package dev.muster.bench.measure;

import dev.muster.bench.peer.Peer;
import dev.muster.bench.peer.Source;
import java.io.IOException;
import java.nio.file.Path;

/** Checks that a log holds every record of every writer once, in order and whole, and no other record. */
public final class Ledger {
    private final Payload payload;
    private final long[] nextByWriter;

    public Ledger(Payload payload, int writers) {
        this.payload = payload;
        this.nextByWriter = new long[writers];
    }

    /** Reads all records and compares them with the number that each writer has appended. */
    public static void check(Peer peer, Path directory, Payload payload, long... countByWriter) throws IOException {
        Ledger ledger = new Ledger(payload, countByWriter.length);
        try (Source source = peer.source(directory, payload.size())) {
            for (byte[] record = source.next(); record != null; record = source.next()) {
                ledger.accept(record);
            }
        }
        ledger.requireCounts(countByWriter);
    }

    public void accept(byte[] record) {
        int writer = record.length < Payload.BYTES_MIN ? -1 : Payload.writer(record);
        if (writer < 0 || writer >= nextByWriter.length) {
            throw new IllegalStateException("a record of no writer: " + record.length + " bytes, writer " + writer);
        }
        long number = Payload.number(record);
        if (number != nextByWriter[writer]) {
            throw new IllegalStateException(
                    "writer " + writer + ": record " + number + " where " + nextByWriter[writer] + " belongs");
        }
        if (!payload.matches(record, writer, number)) {
            throw new IllegalStateException("writer " + writer + ": record " + number + " is not what was written");
        }
        nextByWriter[writer]++;
    }

    public void requireCounts(long... countByWriter) {
        for (int writer = 0; writer < countByWriter.length; writer++) {
            if (nextByWriter[writer] != countByWriter[writer]) {
                throw new IllegalStateException("writer " + writer + ": appended " + countByWriter[writer]
                        + " records, read " + nextByWriter[writer]);
            }
        }
    }
}
