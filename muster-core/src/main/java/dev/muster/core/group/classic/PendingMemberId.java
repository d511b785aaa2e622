package dev.muster.core.group.classic;

import java.time.Duration;

/**
 * An id that was given to somebody who is expected to come back with it (KIP-394).
 *
 * @param session how long it is kept
 * @param token of the giving
 */
public record PendingMemberId(Duration session, long token) {}
