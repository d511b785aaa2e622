package dev.muster.testkit.sim;

import dev.muster.engine.group.RemoteAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** What a server answers to a wire client. */
sealed interface WireAnswer {
    /** @param partitions what the client may work from now on; empty: as it was told last */
    record Told(long epoch, Duration pause, Optional<SortedSet<Held>> partitions) implements WireAnswer {}

    /** It is out, as it wished. */
    record Out() implements WireAnswer {}

    record Committed() implements WireAnswer {}

    /** @param offsets committed ones; partitions that have none are not there */
    record Places(SortedMap<Held, Long> offsets) implements WireAnswer {}

    record Records(List<Fetched> records) implements WireAnswer {}

    record Fetched(long offset, long number) {}

    record Refused(RemoteAnswer.Why why) implements WireAnswer {}

    /** Something is wrong with the server: ask again. */
    record Failed() implements WireAnswer {}
}
