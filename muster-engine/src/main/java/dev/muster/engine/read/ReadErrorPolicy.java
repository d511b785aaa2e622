package dev.muster.engine.read;

import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;

/** What to do where reading cannot simply go on: give the offset to go on at, or throw what was given. */
public interface ReadErrorPolicy {
    long outOfRange(PartitionLog log, OffsetOutOfRangeException problem);

    long damaged(PartitionLog log, DamagedLogException problem);
}
