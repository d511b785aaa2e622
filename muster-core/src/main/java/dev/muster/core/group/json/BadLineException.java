package dev.muster.core.group.json;

import dev.muster.core.MusterException;

/** A line of a group's journal that this version of the program cannot have written. */
public final class BadLineException extends MusterException {
    private final String problem;

    BadLineException(String problem, Throwable cause) {
        super(
                "a line of a group's journal cannot be understood: " + problem,
                "restore the group's folder from a backup, or delete the group",
                cause);
        this.problem = problem;
    }

    /** A description of the problem with the line. */
    public String problem() {
        return problem;
    }
}
