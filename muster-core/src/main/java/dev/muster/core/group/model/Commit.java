package dev.muster.core.group.model;

import dev.muster.core.MemberId;
import java.util.Optional;

/**
 * A committed offset in the state of a group.
 *
 * @param at wall time, for people
 * @param by member that committed; empty if the offset was set by hand
 */
public record Commit(CommittedOffset offset, long at, Optional<MemberId> by) {}
