package dev.muster.kafka.api.records;

import dev.muster.store.PartitionLog;
import org.apache.kafka.common.protocol.Errors;

/** Compares the leader epoch of a client with that of the log: after a power cut, offsets may have been used again. */
public final class LeaderEpochs {
    private static final int UNKNOWN = -1;

    private LeaderEpochs() {}

    /** @param known the leader epoch that the client knows; -1 if it knows none */
    public static Errors check(PartitionLog log, int known) {
        if (known == UNKNOWN) {
            return Errors.NONE;
        }
        int epoch = log.leaderEpoch();
        if (known == epoch) {
            return Errors.NONE;
        }
        return known < epoch ? Errors.FENCED_LEADER_EPOCH : Errors.UNKNOWN_LEADER_EPOCH;
    }
}
