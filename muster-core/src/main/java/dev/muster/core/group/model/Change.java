package dev.muster.core.group.model;

import java.util.ArrayList;
import java.util.List;

/**
 * A reason for a new generation, in plain words: {@code A, B and 7 more} {@code joined}.
 *
 * @param predicate text, with one member as its subject
 * @param names first subjects
 * @param count number of all subjects
 */
public record Change(String predicate, List<String> names, int count) {
    private static final int NAMED_MAX = 3;

    /** The largest number of different predicates. Further changes are only counted. */
    private static final int KINDS_MAX = 16;

    static final String MORE = "more changes";

    public Change {
        names = List.copyOf(names);
    }

    /** The predicate for a member whose membership ended by this cause. */
    public static String of(LeaveCause cause) {
        return switch (cause) {
            case LEFT -> "left";
            case PROCESS_DIED -> "died with its process";
            case SESSION_EXPIRED -> "gave no sign of life for a whole session";
            case CONNECTION_LOST -> "lost its connection and did not come back";
            case REVOKE_TIMED_OUT -> "did not let go of its partitions in time";
            case POLL_TIMED_OUT -> "lives but did not poll or finish in time";
            case STAYED_AWAY -> "did not come back in time";
            case REMOVED -> "was removed by hand";
            case RESET_NOT_HEARD -> "had partitions that were reset when the group became classic";
            case REBALANCE_TIMED_OUT -> "did not come back to the rebalance in time";
            case SYNC_TIMED_OUT -> "did not ask for its assignment in time";
            case JOIN_TIMED_OUT -> "waited too long to be let in";
            case GROUP_FULL -> "was one too many";
        };
    }

    /** Adds the name to the change with the same predicate, or adds a new change. */
    public static List<Change> add(List<Change> changes, String name, String predicate) {
        List<Change> more = new ArrayList<>(changes);
        for (int i = 0; i < more.size(); i++) {
            if (more.get(i).predicate.equals(predicate)) {
                more.set(i, more.get(i).and(name));
                return List.copyOf(more);
            }
        }
        if (more.size() == KINDS_MAX && !predicate.equals(MORE)) {
            return add(changes, name, MORE);
        }
        more.add(new Change(predicate, List.of(name), 1));
        return List.copyOf(more);
    }

    private Change and(String name) {
        if (names.size() == NAMED_MAX) {
            return new Change(predicate, names, count + 1);
        }
        List<String> more = new ArrayList<>(names);
        more.add(name);
        return new Change(predicate, more, count + 1);
    }

    /** The reasons for a new generation, for people. */
    public static String text(List<Change> changes) {
        return String.join("; ", changes.stream().map(Change::text).toList());
    }

    private String text() {
        if (predicate.equals(MORE)) {
            return count + " " + MORE;
        }
        return list(names, count - names.size()) + " " + (count == 1 ? predicate : ofMany(predicate));
    }

    private static String ofMany(String predicate) {
        return predicate
                .replaceFirst("^was ", "were ")
                .replaceFirst("^is ", "are ")
                .replaceFirst("^has ", "have ")
                .replaceFirst("^lives ", "live ")
                .replace(" its ", " their ");
    }

    /** A list such as {@code A}, {@code A and B}, {@code A, B and 5 more}. */
    public static String list(List<String> names, int more) {
        List<String> parts = new ArrayList<>(names);
        if (more > 0) {
            parts.add(more + " more");
        }
        String last = parts.removeLast();
        return parts.isEmpty() ? last : String.join(", ", parts) + " and " + last;
    }
}
