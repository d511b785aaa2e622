package dev.muster.core.group;

import dev.muster.core.group.classic.ClassicSpec;

/**
 * Who is at the far end of a connection, by what stays the same when it comes again under another id.
 *
 * @param client the name that it gives itself; may be empty
 * @param address where it comes from
 */
public record Origin(String client, String address) {
    /** Of a remote member. */
    public static Origin of(MemberSpec spec) {
        return new Origin(spec.client(), spec.address().orElseThrow());
    }

    public static Origin of(ClassicSpec spec) {
        return new Origin(spec.client(), spec.address());
    }
}
