package dev.muster.engine.read;

import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;

/** Decides how to continue after a failed read: returns the offset to continue at, or throws the given exception. */
public interface ReadErrorPolicy {
    long outOfRange(PartitionLog log, OffsetOutOfRangeException problem);

    long damaged(PartitionLog log, DamagedLogException problem);
}
