package dev.muster.store.group;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.watch.Registration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The journal of one group: lines of JSON with versions 0, 1, 2 … It is the truth of the group. Safe for use by many
 * threads; other processes append and read at the same time.
 */
public interface GroupJournal {
    GroupName group();

    /**
     * Appends a line as the next version, if that is what it is. When this returns true the line has its place: it is
     * counted, and survives the death of this process. It never gets another version than the one asked for.
     *
     * @return false when another line has this version, which can be read now: decide anew
     * @throws IllegalArgumentException when the version is beyond the next one
     * @throws dev.muster.store.StoreIoException when the disk failed; should it have failed twice, the line may be
     *     there all the same: read on before you repeat it
     */
    boolean append(long version, String line);

    /**
     * Returns when all versions below {@code endVersion} survive power loss, sharing one fsync with all who wait; at
     * once when they do already.
     *
     * @throws dev.muster.store.SyncFailedException when the disk refused, now or for an earlier line that is still
     *     needed. What it concerns stays readable as long as memory keeps it, and nothing more is durable until someone
     *     who knows the state appends a snapshot and trims to it
     */
    void awaitDurable(long endVersion);

    /** The version that the next line gets. Cheap: no system call, so it can be asked before every poll. */
    long endVersion();

    /**
     * The first version that can be read: 0, or where somebody trimmed to. A restart of the machine may lower it again,
     * to where an earlier trim was.
     */
    long startVersion();

    /**
     * Lines from a version on, as many as there are, at most about 1 MiB but at least one; empty at the end.
     *
     * @throws dev.muster.store.OffsetOutOfRangeException when the version is below the start or above the end
     * @throws dev.muster.store.DamagedLogException when the line cannot be trusted: go on at its
     *     {@link dev.muster.store.DamagedLogException#nextOffset()} and look for a snapshot
     */
    List<Line> read(long version);

    /**
     * Forgets the lines below a version, where a snapshot stands: sees to it that the line with this version is
     * durable, then raises the start.
     */
    void trim(long version);

    /**
     * Calls back after appends by any process, and when the group is deleted, on a thread of the store that must not be
     * held up; may be called without need.
     */
    Registration onAppend(Runnable wake);

    /**
     * Lets the next line begin a file of its own, in a store that keeps lines in files: a trim to that line removes all
     * files before it, and damage in them.
     */
    default void beginFile() {}

    /**
     * Tells all processes that have this journal open that some line cannot be read: one that knows the state appends a
     * snapshot behind it. Does nothing in a store that is read-only, or where no line can be damaged.
     */
    default void reportDamage() {}

    /** False if no process that could know more of the group has the store open. */
    default boolean mayBeHealed() {
        return true;
    }

    /** A number that grows with every {@link #reportDamage} by any process. Cheap: no system call. */
    default long damageReports() {
        return 0;
    }

    /**
     * The views for people as they are now, with their texts. For a repair that has no better source, and for the
     * process that looks which of them are stale. No rule may depend on a view.
     *
     * @param folder the first part of their paths
     */
    default List<View> views(String folder) {
        return List.of();
    }

    /**
     * Writes the views for people, where the store has such: a failure is not an error. In their order. A view stays as
     * it is while it shows a newer version of this journal.
     */
    void publish(List<View> views);

    /**
     * Adds lines to a file for people. One process at a time does so: what it adds follows from what is there.
     *
     * @param path as that of a {@link View}
     * @param more gets the last lines of the file, at most about 64 KiB of whole lines, and returns those to be added;
     *     empty: none
     * @return false if another process is doing so at this moment, and nothing was done
     */
    default boolean extend(String path, UnaryOperator<String> more) {
        return true;
    }

    record Line(long version, String text) {}

    /**
     * A file for people below the group's folder. Deleting it changes nothing.
     *
     * @param path with slashes, already without anything that could leave the folder; no part of it begins with a dot
     * @param text null deletes it
     * @param version of the last line of the journal that the text takes into account
     */
    record View(String path, String text, long version) {
        /** The version that a view is written with when it shows none: it is written whatever is there. */
        public static final long ANY = Long.MAX_VALUE;

        private static final Pattern VERSION = Pattern.compile("\"version\":(\\d{1,18})|(?m:^version (\\d{1,18})$)");

        public View(String path, String text) {
            this(path, text, ANY);
        }

        /** The version that a view shows; empty if it shows none. */
        public static OptionalLong shown(String text) {
            Matcher version = VERSION.matcher(text);
            if (!version.find()) {
                return OptionalLong.empty();
            }
            String digits = version.group(1) != null ? version.group(1) : version.group(2);
            return OptionalLong.of(Long.parseLong(digits));
        }
    }
}
