package dev.muster.core.group.model;

import java.util.Optional;

/**
 * A committed offset as the group remembers it.
 *
 * @param at wall time, for people
 * @param by who committed; empty: set by hand
 */
public record Commit(CommittedOffset offset, long at, Optional<MemberId> by) {}
