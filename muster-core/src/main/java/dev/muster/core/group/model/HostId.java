package dev.muster.core.group.model;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The id of a process that has the store open, as given by the store. The id of a process that ended is never given
 * again.
 */
public record HostId(String value) implements Comparable<HostId> {
    /** The ids that a directory gives: boot id, process number, start time, random part. */
    private static final Pattern IN_A_DIRECTORY = Pattern.compile("[0-9a-f-]{36}-(\\d{1,18})-\\d+-[0-9a-f-]{36}");

    public HostId {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("a host id is not empty");
        }
    }

    /** The process number. Empty if the store is not a directory. */
    public OptionalLong pid() {
        Matcher matcher = IN_A_DIRECTORY.matcher(value);
        return matcher.matches() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
    }

    @Override
    public int compareTo(HostId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
