package dev.muster.engine.group.session;

import dev.muster.core.MemberId;
import dev.muster.core.group.model.LeaveCause;

/**
 * A member that we serve and have not heard of since.
 *
 * @param cause it is out for if it stays so until the deadline
 */
record SessionDeadline(MemberId member, LeaveCause cause, long since, long deadline) {}
