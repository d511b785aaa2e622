package dev.muster.engine.runtime;

import dev.muster.core.assign.Assignor;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What groups need of the world besides a store: time, names and threads. The real ones are {@link SystemGroupRuntime};
 * a simulator gives its own and runs everything on one thread.
 */
public interface GroupRuntime {
    int SNAPSHOT_EVERY = 1000;

    /** A clock of this process that only goes forward. */
    long nanoTime();

    /** Milliseconds since 1970, for people: no decision looks at it. */
    long wallMillis();

    /** A short name that nobody had before. */
    String freshName();

    /** Does work that may block, soon, apart from the caller. What it throws is the work's own business. */
    void inBackground(Runnable work);

    /**
     * Makes a call that may hold its thread in a system call, and returns what it returns; a virtual thread waits for
     * another one that makes it.
     */
    <T> T blocking(Supplier<T> call);

    /**
     * Holds the calling thread for about so long.
     *
     * @return false where that cannot be done, because all there is runs on one thread
     */
    default boolean pause(long nanos) {
        return false;
    }

    /**
     * After how many lines of a journal a snapshot sums them up. A simulator, whose groups live short, asks for few.
     */
    default int snapshotEvery() {
        return SNAPSHOT_EVERY;
    }

    /** The rules. Only a simulator that wants to see whether it notices broken ones has others. */
    default Decision decide(Group group, Command command, Map<String, Assignor> assignors) {
        return group.decide(command, assignors);
    }
}
