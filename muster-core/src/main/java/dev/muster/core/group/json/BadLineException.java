package dev.muster.core.group.json;

import dev.muster.core.MusterException;

/** A line of a group's journal is not what a program of this version writes. */
public final class BadLineException extends MusterException {
    private final String problem;

    BadLineException(String problem, Throwable cause) {
        super(
                "a line of a group's journal cannot be understood: " + problem,
                "restore the group's folder from a backup, or delete the group",
                cause);
        this.problem = problem;
    }

    /** What is wrong with the line. */
    public String problem() {
        return problem;
    }
}
