package dev.muster.kafka.sasl;

import dev.muster.core.MusterException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The settings of logins, which are always valid. Without mechanisms there is no login.
 *
 * @param mechanisms the enabled mechanisms ({@code sasl.enabled.mechanisms})
 * @param users the file of {@link Users} ({@code muster.sasl.users.file})
 * @param frameBytesMax the largest frame of a client that has not logged in ({@code sasl.server.max.receive.size})
 * @param patience the longest time of a login ({@code muster.sasl.timeout.ms})
 * @param failureDelay the delay of the response to a failed login ({@code connection.failed.authentication.delay.ms})
 * @param sessionMax the time after which a client must log in again; zero for never ({@code connections.max.reauth.ms})
 */
public record SaslConfig(
        List<Mechanism> mechanisms,
        Optional<Path> users,
        int frameBytesMax,
        Duration patience,
        Duration failureDelay,
        Duration sessionMax) {
    private static final int FRAME_MIN = 1 << 10;

    /** 100 years. Times are counted in nanoseconds, and 300 years of them do not fit into a long. */
    public static final Duration TIME_MAX = Duration.ofDays(36_525);

    public static final SaslConfig OFF = new SaslConfig(
            List.of(), Optional.empty(), 16 << 10, Duration.ofSeconds(10), Duration.ofMillis(100), Duration.ZERO);

    public SaslConfig {
        mechanisms = List.copyOf(mechanisms);
        if (mechanisms.isEmpty() && users.isPresent()) {
            throw new MusterException(
                    "muster.sasl.users.file is set and sasl.enabled.mechanisms is not: clients would not have to log"
                            + " in",
                    "add sasl.enabled.mechanisms=SCRAM-SHA-256");
        }
        if (!mechanisms.isEmpty() && users.isEmpty()) {
            throw new MusterException(
                    "sasl.enabled.mechanisms is set and muster.sasl.users.file is not: no client could log in",
                    "add muster.sasl.users.file=FILE, a file with a line name:password for each");
        }
        check(frameBytesMax >= FRAME_MIN, "sasl.server.max.receive.size", "at least " + FRAME_MIN);
        check(patience.isPositive(), "muster.sasl.timeout.ms", "positive");
        check(!failureDelay.isNegative(), "connection.failed.authentication.delay.ms", "0 or more");
        check(!sessionMax.isNegative(), "connections.max.reauth.ms", "0 or more");
        checkFits(patience, "muster.sasl.timeout.ms");
        checkFits(failureDelay, "connection.failed.authentication.delay.ms");
        checkFits(sessionMax, "connections.max.reauth.ms");
    }

    private static void checkFits(Duration time, String key) {
        check(time.compareTo(TIME_MAX) <= 0, key, "at most " + TIME_MAX.toMillis());
    }

    private static void check(boolean holds, String key, String must) {
        if (!holds) {
            throw new MusterException(key + " must be " + must);
        }
    }

    public boolean isOn() {
        return !mechanisms.isEmpty();
    }
}
