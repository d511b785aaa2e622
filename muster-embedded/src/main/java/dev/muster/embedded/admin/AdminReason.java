package dev.muster.embedded.admin;

import java.util.Objects;

/**
 * The name of the person or program that changes a running group, and the reason. {@code timeline} and {@code explain}
 * show both.
 *
 * @param why reason for the change; may be empty
 */
public record AdminReason(String who, String why) {
    public AdminReason {
        Objects.requireNonNull(why, "why");
        if (who.isBlank()) {
            throw new IllegalArgumentException("a change of a group by hand needs the name of its author: it is blank");
        }
    }

    public static AdminReason of(String who) {
        return new AdminReason(who, "");
    }

    public AdminReason because(String reason) {
        return new AdminReason(who, reason);
    }
}
