package dev.muster.testkit.disk;

import java.nio.file.Path;

/**
 * One call that a {@link FaultyDisk} saw.
 *
 * @param file what it was about; where a name was made, the new name
 * @param number the how manieth call of this disk it is, beginning with 1
 */
public record DiskCall(Kind kind, Path file, long number) {
    /** The calls that can fail. Looking whether a name is there, closing, and the words of a page cannot. */
    public enum Kind {
        OPEN,
        OPEN_FOR_APPEND,
        READ_ALL,
        PAGE,
        SIZE,
        LIST,
        CREATE_FOLDERS,
        RENAME,
        LINK,
        DELETE,
        SYNC_FOLDER,
        READ,
        APPEND,
        SYNC,
        TRY_LOCK,
        UNLOCK,
        IS_LOCKED,
        BELL;

        /** Whether the call may change what a power cut finds. */
        public boolean changes() {
            return switch (this) {
                case OPEN_FOR_APPEND, PAGE, CREATE_FOLDERS, RENAME, LINK, DELETE, SYNC_FOLDER, APPEND, SYNC, BELL ->
                    true;
                case OPEN, READ_ALL, SIZE, LIST, READ, TRY_LOCK, UNLOCK, IS_LOCKED -> false;
            };
        }
    }

    public boolean is(Kind other) {
        return kind == other;
    }

    /** Whether it is about a file or folder whose name ends so. */
    public boolean isOn(String ending) {
        return file.toString().endsWith(ending);
    }
}
