package dev.muster.core.group.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The false alarms of a group.
 *
 * @param count of all that there ever were
 * @param last those that are remembered, the oldest first
 */
public record FalseAlarms(long count, List<FalseAlarm> last) {
    /** More are only counted. */
    public static final int REMEMBERED_MAX = 100;

    public static final FalseAlarms NONE = new FalseAlarms(0, List.of());

    public FalseAlarms {
        last = List.copyOf(last);
    }

    public FalseAlarms with(FalseAlarm one) {
        List<FalseAlarm> more = new ArrayList<>(last);
        more.add(one);
        return new FalseAlarms(count + 1, more.subList(Math.max(0, more.size() - REMEMBERED_MAX), more.size()));
    }

    /** How often it was one, as far as is remembered: whoever it was often gets more time to come back. */
    public int times(Origin origin) {
        return (int) last.stream().filter(one -> one.origin().equals(origin)).count();
    }

    /** Those that were the cause of this generation, or one of its causes. */
    public List<FalseAlarm> before(long generation) {
        return last.stream().filter(one -> one.replacedBy() == generation).toList();
    }
}
