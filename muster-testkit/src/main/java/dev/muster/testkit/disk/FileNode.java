package dev.muster.testkit.disk;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A file with two contents: the page cache, which all processes see, and the durable bytes. Bytes become durable by
 * {@link #sync}, or at a power cut, because the kernel may have written any of them back before.
 */
final class FileNode implements Node {
    static final int PAGE = 4096;
    static final int SECTOR = 512;

    /** Lets one writer in at a time, as the kernel does. Readers see a write grow page by page. */
    final ReentrantLock writeTurn = new ReentrantLock();

    byte[] bytes = new byte[0];
    int size;
    private byte[] durableBytes = new byte[0];
    private int durableSize;
    private final BitSet dirtyPages = new BitSet();

    /** The open file that holds the lock on this file; null if none does. */
    MemoryFile lockedBy;

    /** The condition for threads that wait for words of the page; null until the file is opened as a page. */
    Condition changed;

    /** The bell that a process holds on this file; null if there is none. */
    MemoryBell bell;

    private final long number = NUMBERS.incrementAndGet();
    private byte[] writtenBackOnce;
    private int stores;

    @Override
    public long number() {
        return number;
    }

    void append(byte[] from, int offset, int length) {
        if (size + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(size + length, bytes.length * 2));
        }
        System.arraycopy(from, offset, bytes, size, length);
        dirtyPages.set(size / PAGE, (size + length + PAGE - 1) / PAGE);
        size += length;
    }

    /**
     * Notes that a word of a page was stored. Now and then the kernel writes the page back, in its state at that time.
     */
    void stored(int offset) {
        dirtyPages.set(offset / PAGE);
        if (++stores % 7 == 0) {
            writtenBackOnce = Arrays.copyOf(bytes, size);
        }
    }

    void sync() {
        if (durableBytes.length < size) {
            durableBytes = Arrays.copyOf(durableBytes, bytes.length);
        }
        dirtyPages.stream().forEach(page -> copyPage(page, durableBytes));
        durableSize = size;
        dirtyPages.clear();
    }

    /** Does what Linux does after a failed write-back: it reports the error once and marks the pages as clean. */
    void failSync() {
        dirtyPages.clear();
    }

    /** Keeps what a power cut leaves: the durable bytes, and any part of the bytes that were not synced. */
    void powerCut(Random random, Tear tear) {
        byte[] image = Arrays.copyOf(durableBytes, size);
        int end = changed != null ? cutPage(random, image) : cutFile(random, tear, image);
        bytes = Arrays.copyOf(image, end);
        size = end;
        durableBytes = bytes.clone();
        durableSize = end;
        dirtyPages.clear();
        lockedBy = null;
        bell = null;
        changed = null;
        writtenBackOnce = null;
    }

    private int cutFile(Random random, Tear tear, byte[] image) {
        if (size == durableSize && dirtyPages.isEmpty()) {
            return size;
        }
        int end = switch (random.nextInt(6)) {
            case 0 -> durableSize;
            case 1 -> keepPages(image, dirtyPages.cardinality());
            case 2 -> keepPages(image, random.nextInt(dirtyPages.cardinality() + 1));
            case 3 -> keepSome(random, tear, image);
            case 4 -> {
                keepSome(random, tear, image);
                yield size; // the size is durable, some of the data is not and reads as zeros
            }
            default -> size; // only the size is durable
        };
        if (end == durableSize || random.nextBoolean()) {
            return end;
        }
        int lastPage = Math.max(durableSize, (end - 1) / PAGE * PAGE);
        int cut = lastPage + random.nextInt(end - lastPage + 1);
        return tear == Tear.BYTES ? cut : Math.max(durableSize, cut / SECTOR * SECTOR);
    }

    /** Copies the first dirty pages, in order, to the image. Returns the end of the file. */
    private int keepPages(byte[] image, int count) {
        int end = durableSize;
        int kept = 0;
        for (int page = dirtyPages.nextSetBit(0); page >= 0 && kept < count; page = dirtyPages.nextSetBit(page + 1)) {
            copyPage(page, image);
            end = Math.max(end, Math.min(size, (page + 1) * PAGE));
            kept++;
        }
        return end;
    }

    private int keepSome(Random random, Tear tear, byte[] image) {
        int end = durableSize;
        int unit = tear == Tear.BYTES ? SECTOR : PAGE;
        for (int page = dirtyPages.nextSetBit(0); page >= 0; page = dirtyPages.nextSetBit(page + 1)) {
            for (int at = page * PAGE; at < Math.min(size, (page + 1) * PAGE); at += unit) {
                if (random.nextBoolean()) {
                    int length = Math.min(unit, size - at);
                    System.arraycopy(bytes, at, image, at, length);
                    end = Math.max(end, at + length);
                }
            }
        }
        return end;
    }

    /**
     * Makes the image of a mapped page after a power cut: the durable bytes, zeros, all stored words, an earlier
     * write-back, or a mix of sectors. Returns the end of the file.
     */
    private int cutPage(Random random, byte[] image) {
        switch (random.nextInt(5)) {
            case 0 -> {
                return durableSize;
            }
            case 1 -> Arrays.fill(image, (byte) 0);
            case 2 -> System.arraycopy(bytes, 0, image, 0, size);
            case 3 -> {
                if (writtenBackOnce != null) {
                    System.arraycopy(writtenBackOnce, 0, image, 0, Math.min(size, writtenBackOnce.length));
                }
            }
            default -> {
                for (int at = 0; at < size; at += SECTOR) {
                    if (random.nextBoolean()) {
                        System.arraycopy(bytes, at, image, at, Math.min(SECTOR, size - at));
                    }
                }
            }
        }
        return size;
    }

    private void copyPage(int page, byte[] to) {
        int at = page * PAGE;
        System.arraycopy(bytes, at, to, at, Math.min(PAGE, size - at));
    }
}
