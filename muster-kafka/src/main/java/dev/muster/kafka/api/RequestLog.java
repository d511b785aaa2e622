package dev.muster.kafka.api;

import dev.muster.store.group.DamagedGroupException;

/**
 * Log lines that clients cause: bad requests, refused logins, failures of the store. A client may cause any number of
 * them, so each kind has a limit per minute.
 */
public final class RequestLog {
    private static final LogLimit LIMIT = new LogLimit(System.getLogger(RequestLog.class.getName()));

    /** A damaged group stays damaged, so there is one line per group and minute. */
    private static final LogLimit DAMAGED = new LogLimit(System.getLogger(RequestLog.class.getName()), 1);

    private RequestLog() {}

    /** A connection is closed because of what its client sent. */
    public static void badRequest(Client client, BadRequestException e) {
        LIMIT.log(
                System.Logger.Level.WARNING,
                "bad requests",
                "closing the connection of " + client + ": " + e.getMessage());
    }

    /** A connection is closed because of an unexpected exception. */
    public static void unexpected(Client client, Throwable e) {
        LIMIT.log(
                System.Logger.Level.ERROR,
                "unexpected errors",
                "closing the connection of " + client + " after an unexpected error",
                e);
    }

    /** A client that was refused at its login. */
    public static void refused(Client client, String why) {
        LIMIT.log(System.Logger.Level.INFO, "refused logins", client + " may not log in: " + why);
    }

    /** A request that failed in the store, or a connection that was not accepted. */
    public static void failed(System.Logger.Level level, String kind, String message) {
        LIMIT.log(level, kind, message);
    }

    /** A request about a group that is damaged. */
    static void damaged(DamagedGroupException e) {
        DAMAGED.log(
                System.Logger.Level.ERROR,
                "requests of the damaged group \"" + e.group() + "\"",
                e.getMessage() + "; its clients get the final error " + KafkaErrors.DAMAGED_GROUP + "; "
                        + e.hint().orElseThrow());
    }

    /** A request that failed because of a defect in Muster. */
    static void defect(RuntimeException failure) {
        LIMIT.log(System.Logger.Level.ERROR, "defects", "a bug in Muster", failure);
    }

    /** Logs how many lines were left out in the minutes that are over. */
    public static void tick() {
        LIMIT.tick();
        DAMAGED.tick();
    }
}
