package dev.muster.testkit.disk;

import java.nio.file.Path;

/**
 * One call of a {@link FaultyDisk}.
 *
 * @param file file or folder of the call; the new name if the call makes one
 * @param number number of the call on this disk, beginning with 1
 */
public record DiskCall(Kind kind, Path file, long number) {
    /** The kinds of calls that can fail. Tests for existence, closing, and access to the words of a page cannot. */
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

        /** True if the call may change what is on the disk after a power cut. */
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

    /** True if the path of the file or folder ends with this text. */
    public boolean isOn(String ending) {
        return file.toString().endsWith(ending);
    }
}
