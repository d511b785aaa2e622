package dev.muster.store.runtime;

import java.time.Clock;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The time and the random ids of a store. A simulation passes its own, so that a run depends on its seed alone.
 *
 * @param clock the wall clock for timestamps and ages; never for liveness
 * @param monotonicClock the clock that only goes forward, in nanoseconds since any point in time
 * @param ids the source of random ids, none of which is given twice
 */
public record StoreRuntime(Clock clock, LongSupplier monotonicClock, Supplier<UUID> ids) {
    private static final StoreRuntime SYSTEM = new StoreRuntime(Clock.systemUTC(), System::nanoTime, UUID::randomUUID);

    /** The clocks and the random ids of this machine. */
    public static StoreRuntime system() {
        return SYSTEM;
    }

    public StoreRuntime withClock(Clock other) {
        return new StoreRuntime(other, monotonicClock, ids);
    }

    /** The reading of the monotonic clock. Only the difference of two readings has a meaning. */
    public long nanoTime() {
        return monotonicClock.getAsLong();
    }

    /** A new random id. */
    public UUID newId() {
        return ids.get();
    }
}
