package dev.muster.store.group;

import dev.muster.core.group.GroupName;
import dev.muster.store.PartitionLog;
import java.util.List;

/**
 * The journal of one group: lines of JSON with versions 0, 1, 2 … It is the truth of the group. Safe for use by many
 * threads; other processes append and read at the same time.
 */
public interface GroupJournal {
    GroupName group();

    /**
     * Appends a line as the next version, if that is what it is. When this returns true the line has its place: it is
     * counted, and survives the death of this process.
     *
     * @return false when another line has this version: read it, decide anew
     */
    boolean append(long version, String line);

    /**
     * Returns when all versions below {@code endVersion} survive power loss, sharing one fsync with all who wait.
     *
     * @throws dev.muster.store.SyncFailedException when the disk refused
     */
    void awaitDurable(long endVersion);

    /** The version that the next line gets. Cheap: no system call, so it can be asked before every poll. */
    long endVersion();

    /** The first version that can still be read. */
    long startVersion();

    /** Lines from a version on, as many as there are, at most about 1 MiB; empty at the end. */
    List<Line> read(long version);

    /** Forgets the lines below a version, where a snapshot stands. */
    void trim(long version);

    /** Calls back after appends by any process, on a thread of the store; may be called without need. */
    PartitionLog.Subscription onAppend(Runnable wake);

    /** Writes the views for people, where the store has such: a failure is not an error. {@code views} by file name. */
    void publish(List<View> views);

    record Line(long version, String text) {}

    /**
     * A file for people below the group's folder. Deleting it changes nothing.
     *
     * @param path with slashes, already without anything that could leave the folder
     * @param text null deletes it
     */
    record View(String path, String text) {}
}
