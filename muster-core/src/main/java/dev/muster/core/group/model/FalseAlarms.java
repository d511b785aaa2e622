package dev.muster.core.group.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The false alarms of a group.
 *
 * <p>They are part of the state, and not of a server's memory, for two reasons. A client whose network often fails gets
 * a longer grace at every server, also at the one that follows a dead one. And administrators see which generations
 * were made for nothing: {@code muster group describe}, {@code timeline} and {@code explain} show them.
 *
 * @param count number of all false alarms so far
 * @param last false alarms that are remembered, oldest first
 */
public record FalseAlarms(long count, List<FalseAlarm> last) {
    /** The largest number of remembered false alarms. Older ones are only counted. */
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

    /** The number of remembered false alarms of a client. A client with more of them gets more time to come back. */
    public int times(Origin origin) {
        return (int) last.stream().filter(one -> one.origin().equals(origin)).count();
    }

    /** The false alarms that caused this generation, alone or with other changes. */
    public List<FalseAlarm> before(long generation) {
        return last.stream().filter(one -> one.replacedBy() == generation).toList();
    }
}
