package dev.muster.embedded.admin;

import java.util.Objects;

/**
 * Who changes something of a running group, and why: for the people who will ask, in {@code timeline} and
 * {@code explain}.
 *
 * @param why may be empty
 */
public record AdminReason(String who, String why) {
    public AdminReason {
        Objects.requireNonNull(why, "why");
        if (who.isBlank()) {
            throw new IllegalArgumentException("whoever changes a group by hand has a name");
        }
    }

    public static AdminReason of(String who) {
        return new AdminReason(who, "");
    }

    public AdminReason because(String reason) {
        return new AdminReason(who, reason);
    }
}
