package dev.muster.engine.group.replica;

import dev.muster.core.group.Group;

/**
 * The state of a group at a version of its journal.
 *
 * @param version the version of the next line
 * @param generationEnd the present generation is durable if all versions below this one are
 */
public record VersionedGroup(long version, Group group, long generationEnd) {}
