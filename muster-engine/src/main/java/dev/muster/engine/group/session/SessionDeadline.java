package dev.muster.engine.group.session;

import dev.muster.core.MemberId;
import dev.muster.core.group.model.LeaveCause;

/**
 * A served member and its deadline.
 *
 * @param cause the cause of the expulsion if the member is silent until the deadline
 */
record SessionDeadline(MemberId member, LeaveCause cause, long since, long deadline) {}
