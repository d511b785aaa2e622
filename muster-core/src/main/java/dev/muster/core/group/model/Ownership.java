package dev.muster.core.group.model;

/**
 * Who owns a partition, since when.
 *
 * @param since the generation in which it was granted: commits of this and later generations are taken
 * @param at wall time of the grant, for people
 */
public record Ownership(MemberId member, long since, long at) {}
