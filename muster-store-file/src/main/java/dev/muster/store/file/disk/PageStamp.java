package dev.muster.store.file.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The last 16 bytes of a page of {@value #PAGE_BYTES} bytes: inode and time of birth of the file that it was made in. A
 * page that was copied, restored from a backup or truncated does not have the stamp of its own file. Its words are
 * worth nothing.
 *
 * <pre>
 *   4080  inode
 *   4088  time of birth in nanoseconds since 1970; 0 where the file system does not know it
 * </pre>
 */
public final class PageStamp {
    public static final int PAGE_BYTES = 4096;
    public static final int AT = 4080;
    private static final int BORN_AT = 4088;

    private PageStamp() {}

    /** The first content of a page, with the stamp; smaller pages have none. */
    public static byte[] stamped(byte[] content, FileIdentity file) {
        if (content.length != PAGE_BYTES) {
            return content;
        }
        byte[] stamped = content.clone();
        ByteBuffer.wrap(stamped)
                .order(ByteOrder.nativeOrder())
                .putLong(AT, file.inode())
                .putLong(BORN_AT, file.bornNanos());
        return stamped;
    }

    /** True if the page was made in the file that it is mapped from, and its name still stands for that file. */
    public static boolean isInPlace(Disk disk, Path name, Page page) throws IOException {
        FileIdentity file = page.identity();
        try {
            return file != null && isOwn(page) && file.equals(disk.identity(name));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** True if the page was made in the file that it is mapped from, or has no file. */
    public static boolean isOwn(Page page) {
        FileIdentity file = page.identity();
        return file == null
                || page.size() == PAGE_BYTES && page.get(AT) == file.inode() && page.get(BORN_AT) == file.bornNanos();
    }
}
