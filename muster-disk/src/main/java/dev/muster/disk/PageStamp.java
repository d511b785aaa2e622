package dev.muster.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The last 16 bytes of a page of {@value #PAGE_BYTES} bytes: the inode and the time of birth of the file that it was
 * created in. A page that was copied, restored from a backup or truncated does not have the stamp of its own file. Its
 * words are void.
 *
 * <pre>
 *   4080  inode
 *   4088  time of birth in nanoseconds since 1970; 0 if the file system does not know it
 * </pre>
 */
public final class PageStamp {
    public static final int PAGE_BYTES = 4096;
    public static final int AT = 4080;
    private static final int BORN_AT = 4088;

    private PageStamp() {}

    /** The first content of a page, with the stamp. Smaller pages have no stamp. */
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

    /**
     * The page with this name. It is created with this content if there is none, or if the existing one was truncated
     * or copied.
     *
     * @param content the first content, {@value #PAGE_BYTES} bytes
     */
    public static Page open(Disk disk, Path name, byte[] content) throws IOException {
        if (disk.exists(name) && !isPage(disk, name)) {
            fill(disk, name);
            disk.delete(name);
        }
        return disk.page(name, content);
    }

    /** True if the file with this name is a whole page that was created in this file. */
    public static boolean isPage(Disk disk, Path name) throws IOException {
        return disk.size(name) == PAGE_BYTES && isOwn(disk.pageForReading(name));
    }

    /**
     * Gives a truncated page its length again, because the kernel kills a process that accesses mapped bytes behind the
     * end of the file.
     */
    public static void fill(Disk disk, Path name) throws IOException {
        long size = disk.exists(name) ? disk.size(name) : PAGE_BYTES;
        if (size < PAGE_BYTES) {
            try (DiskFile file = disk.openForAppend(name)) {
                file.append(new byte[PAGE_BYTES], 0, (int) (PAGE_BYTES - size));
            }
        }
    }

    /** True if the page was created in the file that it is mapped from, and its name still belongs to that file. */
    public static boolean isInPlace(Disk disk, Path name, Page page) throws IOException {
        FileIdentity file = page.identity();
        try {
            return file != null && isOwn(page) && file.equals(disk.identity(name));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** True if the page was created in the file that it is mapped from, or has no file. */
    public static boolean isOwn(Page page) {
        FileIdentity file = page.identity();
        return file == null
                || page.size() == PAGE_BYTES && page.get(AT) == file.inode() && page.get(BORN_AT) == file.bornNanos();
    }
}
