package dev.muster.engine.group.replica;

import dev.muster.core.group.Group;

/**
 * A group as it is after the first so many versions of its journal.
 *
 * @param version the version that the next line gets
 * @param generationEnd when all versions below this one are durable, the present generation is
 */
public record VersionedGroup(long version, Group group, long generationEnd) {}
