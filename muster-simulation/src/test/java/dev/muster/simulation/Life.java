package dev.muster.simulation;

import dev.muster.core.group.Group;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The referee's record of one group from its creation to its deletion. A later group of the same name is another one.
 */
final class Life {
    final String id;
    final Map<Long, String> lines = new TreeMap<>();
    final Map<Long, Group> states = new HashMap<>();
    /** The line of each generation that a member acted on. */
    final Map<Long, String> actedOn = new HashMap<>();

    final Map<Long, String> generations = new HashMap<>();
    final Set<String> members = new HashSet<>();
    /** The leader of each classic generation. */
    final Map<Long, String> leaders = new HashMap<>();
    /** The version below which lines were acknowledged. */
    long ackedEnd;
    /** The version of its deletion; negative if it is not deleted. */
    long endVersion = -1;

    Life(String id) {
        this.id = id;
    }

    boolean hasEnded() {
        return endVersion >= 0;
    }

    void promised(long version) {
        ackedEnd = Math.max(ackedEnd, version + 1);
    }

    /** Drops lines from a version on, because another line has this version now. */
    void cutAt(long version) {
        lines.keySet().removeIf(late -> late >= version);
        if (endVersion >= version) {
            endVersion = -1;
        }
    }
}
