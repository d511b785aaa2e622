package dev.muster.embedded;

import java.util.Objects;

/**
 * Who changes something of a running group, and why: for the people who will ask, in {@code timeline} and
 * {@code explain}.
 *
 * @param why may be empty
 */
public record ByHand(String who, String why) {
    public ByHand {
        Objects.requireNonNull(why, "why");
        if (who.isBlank()) {
            throw new IllegalArgumentException("whoever changes a group by hand has a name");
        }
    }

    public static ByHand of(String who) {
        return new ByHand(who, "");
    }

    public ByHand because(String reason) {
        return new ByHand(who, reason);
    }
}
