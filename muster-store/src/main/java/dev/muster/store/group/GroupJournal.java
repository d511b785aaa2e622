package dev.muster.store.group;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.watch.Registration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The journal of one group: lines of JSON with the versions 0, 1, 2 … The state of the group is what its lines say.
 * Safe for use by many threads; other processes append and read at the same time.
 */
public interface GroupJournal {
    GroupName group();

    /**
     * Appends a line if {@code version} is the next version. When this returns true, the line has its place: it counts,
     * and survives the death of this process. It never gets a version other than {@code version}.
     *
     * @return false if another line has this version; that line can be read now, and the caller decides anew
     * @throws IllegalArgumentException if the version is above the next one
     * @throws LineTooLongException if the line has more than {@link #lineBytesMax} bytes in UTF-8; nothing was written
     * @throws dev.muster.store.StoreUnavailableException if the store cannot be reached. The line may be in the journal
     *     all the same, or come to be as long as no other line has its version
     * @throws dev.muster.store.StoreIoException if the disk failed. If it failed twice the line may be in the journal
     *     all the same, so the caller must read on before it repeats the append
     */
    boolean append(long version, String line);

    /** The size of the longest line that {@link #append} takes, in bytes of UTF-8. */
    default int lineBytesMax() {
        return Integer.MAX_VALUE;
    }

    /**
     * Appends as {@link #append} does a line that holds the whole state, of any size. {@link #read} returns it as any
     * other line. A store with short lines keeps such a text apart, and removes it with the line.
     */
    default boolean appendSnapshot(long version, String line) {
        return append(version, line);
    }

    /**
     * Returns when all versions below {@code endVersion} survive power loss; at once if they do already. All waiting
     * callers share one fsync.
     *
     * @throws dev.muster.store.SyncFailedException if the disk failed to sync, now or for an earlier line that is still
     *     needed. The lines in question stay readable as long as memory keeps them. No further line becomes durable
     *     until a process that knows the state appends a snapshot and trims to it
     */
    void awaitDurable(long endVersion);

    /**
     * The version that the next line gets, as this process knows it. The call reads memory, and is cheap enough to make
     * before every poll. The version never falls. It counts the lines that this process appended or has read, the line
     * that made an append return false, and all lines that were in the journal when a successful {@link Hosts#renew}
     * began. Other lines of other processes may be counted late. The file store counts every line at once.
     */
    long endVersion();

    /**
     * The first version that can be read: 0, or the version of the last trim. A restart of the machine may lower it
     * again, to the version of an earlier trim.
     */
    long startVersion();

    /**
     * The lines from a version on: at most about 1 MiB, but at least one line; empty at the end.
     *
     * @throws dev.muster.store.OffsetOutOfRangeException if the version is below the start or above the end
     * @throws dev.muster.store.DamagedLogException if the line cannot be trusted; the caller goes on at its
     *     {@link dev.muster.store.DamagedLogException#nextOffset()} and looks for a snapshot
     */
    List<Line> read(long version);

    /**
     * Removes the lines below a version. The line with this version must be a snapshot: it is made durable, and then
     * the start is raised to it.
     */
    void trim(long version);

    /**
     * Calls {@code wake} after appends by any process, and when the group is deleted. It may also be called without
     * need. It runs on a thread of the store and must not block that thread.
     */
    Registration onAppend(Runnable wake);

    /**
     * Starts a new file with the next line, in a store that keeps lines in files. A later trim to that line removes all
     * earlier files, and the damage in them.
     */
    default void beginFile() {}

    /**
     * Reports to all processes that have this journal open that a line cannot be read. A process that knows the state
     * then appends a snapshot. Does nothing in a read-only store, or in a store whose lines cannot be damaged.
     */
    default void reportDamage() {}

    /** False if no other process that could know the group's state has the store open. */
    default boolean mayBeHealed() {
        return true;
    }

    /** The number of {@link #reportDamage} calls by all processes; it only grows. The call makes no system call. */
    default long damageReports() {
        return 0;
    }

    /** The texts for people that this store keeps beside the journal; empty if it keeps none. */
    default Optional<GroupViews> views() {
        return Optional.empty();
    }

    record Line(long version, String text) {}

    /**
     * A file for people below the group's folder. Deleting it changes nothing.
     *
     * @param path the path with slashes. The caller has removed everything that could lead out of the folder; no part
     *     begins with a dot
     * @param text the text of the file; null deletes the file
     * @param version the version of the last line of the journal that the text takes into account
     */
    record View(String path, String text, long version) {
        /** The version of a view that shows none: it replaces any existing text. */
        public static final long ANY = Long.MAX_VALUE;

        private static final Pattern VERSION = Pattern.compile("\"version\":(\\d{1,18})|(?m:^version (\\d{1,18})$)");

        public View(String path, String text) {
            this(path, text, ANY);
        }

        /** The version that a view's text shows; empty if it shows none. */
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
