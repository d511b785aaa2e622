package dev.muster.bench.peer;

import dev.muster.bench.measure.Ledger;
import dev.muster.bench.measure.Payload;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer returns the records that it took. (Chronicle needs JVM flags that tests do not have.) */
class PeerRoundTripTest {
    private static final int RECORDS = 5000;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aRawFileReturnsItsRecords(Mode mode) throws IOException {
        roundTrip(Peer.named("raw"), mode);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void musterReturnsItsRecords(Mode mode) throws IOException {
        roundTrip(Peer.named("muster"), mode);
    }

    private void roundTrip(Peer peer, Mode mode) throws IOException {
        Payload payload = new Payload(7, 100);
        byte[] record = new byte[payload.size()];
        int records = mode == Mode.DURABLE ? RECORDS / 100 : RECORDS;
        peer.prepare(directory, mode);
        try (Sink sink = peer.sink(directory, mode)) {
            for (int number = 0; number < records; number++) {
                payload.fill(record, 0, number);
                sink.append(record);
            }
        }
        Ledger.check(peer, directory, payload, records);
    }
}
