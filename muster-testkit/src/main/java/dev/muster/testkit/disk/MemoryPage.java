package dev.muster.testkit.disk;

import dev.muster.disk.FileIdentity;
import dev.muster.disk.Page;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * A page that a simulated process has mapped. As with real memory, storing a word wakes no thread: only
 * {@link #wakeAll} does. The threads of a dead process get an {@link UncheckedIOException}; real ones would be gone.
 */
final class MemoryPage implements Page, Life.OpenThing {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private final Life life;
    private final FileNode node;

    MemoryPage(Life life, FileNode node) {
        this.life = life;
        this.node = node;
    }

    /** The number of bytes in the page. A power cut may have left fewer than the page was made with. */
    @Override
    public int size() {
        return access(0, 1, () -> node.size);
    }

    @Override
    public long get(int offset) {
        return access(offset, Long.BYTES, () -> (long) LONG.get(node.bytes, offset));
    }

    @Override
    public void set(int offset, long value) {
        store(offset, Long.BYTES, () -> {
            LONG.set(node.bytes, offset, value);
            return null;
        });
    }

    @Override
    public boolean compareAndSet(int offset, long expected, long value) {
        return store(offset, Long.BYTES, () -> {
            boolean same = (long) LONG.get(node.bytes, offset) == expected;
            if (same) {
                LONG.set(node.bytes, offset, value);
            }
            return same;
        });
    }

    @Override
    public int getInt(int offset) {
        return access(offset, Integer.BYTES, () -> (int) INT.get(node.bytes, offset));
    }

    @Override
    public int getAndAddInt(int offset, int delta) {
        return store(offset, Integer.BYTES, () -> {
            int before = (int) INT.get(node.bytes, offset);
            INT.set(node.bytes, offset, before + delta);
            return before;
        });
    }

    @Override
    public int getAndSetInt(int offset, int value) {
        return store(offset, Integer.BYTES, () -> {
            int before = (int) INT.get(node.bytes, offset);
            INT.set(node.bytes, offset, value);
            return before;
        });
    }

    @Override
    public void awaitChange(int[] offsets, int[] expected, long timeoutNanos) {
        access(offsets[0], Integer.BYTES, () -> {
            for (int i = 0; i < offsets.length; i++) {
                if ((int) INT.get(node.bytes, offsets[i]) != expected[i]) {
                    return null;
                }
            }
            try {
                // One condition serves the whole page. A wake-up for another word is a spurious one here.
                return node.changed.awaitNanos(timeoutNanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        });
    }

    @Override
    public void wakeAll(int offset) {
        access(offset, Integer.BYTES, () -> {
            node.changed.signalAll();
            return null;
        });
    }

    @Override
    public FileIdentity identity() {
        return node.identity();
    }

    @Override
    public boolean writable() {
        return !life.isReadOnly();
    }

    @Override
    public void close() {
        life.locked(() -> {
            if (life.closed(this)) {
                node.changed.signalAll();
            }
        });
    }

    @Override
    public void ownerDied() {
        node.changed.signalAll();
    }

    private <T> T store(int offset, int size, Life.Step<T> step) {
        return access(
                offset,
                size,
                () -> life.change(() -> {
                    T result = step.take();
                    node.stored(offset);
                    return result;
                }));
    }

    private <T> T access(int offset, int size, Life.Step<T> step) {
        if (offset % size != 0) {
            throw new IllegalArgumentException("offset " + offset + " is not aligned to " + size);
        }
        try {
            return life.call(() -> {
                Objects.checkFromIndexSize(offset, size, Math.max(1, node.size));
                if (!life.isOpen(this)) {
                    throw new IOException("the page is closed");
                }
                return step.take();
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
