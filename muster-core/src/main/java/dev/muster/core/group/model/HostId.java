package dev.muster.core.group.model;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process that has the store open, as the store names it; the name of one that ended never comes back. */
public record HostId(String value) implements Comparable<HostId> {
    /** How a directory names a process: boot id, process number, start, nonce. */
    private static final Pattern IN_A_DIRECTORY = Pattern.compile("[0-9a-f-]{36}-(\\d{1,18})-\\d+-[0-9a-f-]{36}");

    public HostId {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("a host id is not empty");
        }
    }

    /** The process number, where the store is a directory; empty elsewhere. */
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
