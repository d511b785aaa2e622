package dev.muster.cli.command;

/** The exit codes, documented in {@code docs/cli.md}. A number never changes its meaning. */
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

    /** The word for this exit code in an error object. */
    public String slug() {
        return slug;
    }
}
