package dev.muster.core.group.classic;

import java.time.Duration;

/**
 * An id that was given to a client, which is expected to join with it (KIP-394).
 *
 * @param session time for which the id is kept
 * @param token number of the event that gave the id
 */
public record PendingMemberId(Duration session, long token) {}
