package dev.muster.bench.turn;

import dev.muster.bench.measure.Ledger;
import dev.muster.bench.measure.Parameters;
import dev.muster.bench.measure.Payload;
import dev.muster.bench.peer.Peer;
import java.io.IOException;
import java.util.stream.Stream;

/** Reads the records that several processes have appended, and fails if one is missing or wrong. */
public final class VerifyTurn implements Turn {
    @Override
    public Parameters run(Parameters parameters, Cue cue) throws IOException {
        Payload payload = new Payload(parameters.whole("seed"), parameters.integer("size"));
        long[] counts = Stream.of(parameters.text("counts").split(","))
                .mapToLong(Long::parseLong)
                .toArray();
        Ledger.check(Peer.named(parameters.text("peer")), parameters.path("dir"), payload, counts);
        return Parameters.of("ok", true);
    }
}
