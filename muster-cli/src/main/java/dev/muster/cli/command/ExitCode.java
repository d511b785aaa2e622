package dev.muster.cli.command;

/** What the command tells its caller. Documented in {@code docs/cli.md}; a number never changes its meaning. */
public enum ExitCode {
    DONE(0, "done"),
    FAILED(1, "failed"),
    USAGE(2, "usage"),
    NOT_FOUND(3, "not-found"),
    REFUSED(4, "refused"),
    TIMED_OUT(5, "timed-out"),
    INTERRUPTED(130, "interrupted");

    private final int code;
    private final String slug;

    ExitCode(int code, String slug) {
        this.code = code;
        this.slug = slug;
    }

    public int code() {
        return code;
    }

    /** The word for it in a problem object. */
    public String slug() {
        return slug;
    }
}
