package dev.muster.core.group.model;

import dev.muster.core.MemberId;

/**
 * The owner of a partition.
 *
 * @param since generation in which it was granted; commits of this and later generations are accepted
 * @param at wall time of the grant, for people
 */
public record Ownership(MemberId member, long since, long at) {}
