package dev.muster.store.group;

import java.time.Duration;

/**
 * The time for which a store counts a process as alive.
 *
 * @param valid the time from the start of the {@link Hosts#renew} call that returned this lease. Until it is over, the
 *     store does not report the process as gone to any other process, unless the process is dead
 */
public record Lease(Duration valid) {
    /** The lease of a store that reports a process as gone only when it is dead. */
    public static final Lease UNTIL_DEATH = new Lease(Duration.ofSeconds(Long.MAX_VALUE));
}
