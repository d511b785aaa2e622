package dev.muster.core.group;

/** A process that has the store open, as the store names it; the name of one that ended never comes back. */
public record HostId(String value) implements Comparable<HostId> {
    public HostId {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("a host id is not empty");
        }
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
