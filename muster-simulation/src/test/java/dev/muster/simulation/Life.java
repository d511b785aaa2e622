package dev.muster.simulation;

import dev.muster.core.group.Group;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a referee knows of one group from its making to its end. One that is made anew under the name is another. */
final class Life {
    final String id;
    final Map<Long, String> lines = new TreeMap<>();
    final Map<Long, Group> states = new HashMap<>();
    /** By generation that somebody acted on: the line that brought it. */
    final Map<Long, String> actedOn = new HashMap<>();

    final Map<Long, String> generations = new HashMap<>();
    final Set<String> members = new HashSet<>();
    /** By generation: who was asked to assign in it, by the classic rules. */
    final Map<Long, String> leaders = new HashMap<>();
    /** What stands below this version was promised to somebody. */
    long ackedEnd;
    /** The version of its end; negative: it has none. */
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

    /** Another line has this place than before: what followed it is gone. */
    void cutAt(long version) {
        lines.keySet().removeIf(late -> late >= version);
        if (endVersion >= version) {
            endVersion = -1;
        }
    }
}
