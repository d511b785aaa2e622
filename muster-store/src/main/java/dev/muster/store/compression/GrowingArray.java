package dev.muster.store.compression;

import dev.muster.core.MusterException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * An array that is written from a position on and replaced by a larger one when it is full. A codec writes to it as to
 * a stream, or asks for room and writes to the array itself. For one thread.
 */
final class GrowingArray extends OutputStream {
    /** Some virtual machines cannot make arrays of the last few sizes. */
    private static final int SIZE_MAX = Integer.MAX_VALUE - 8;

    private byte[] array;
    private int end;

    /**
     * @param array the first array
     * @param end the position of the first byte to write; bytes before it stay as they are
     */
    GrowingArray(byte[] array, int end) {
        this.array = array;
        this.end = end;
    }

    byte[] array() {
        return array;
    }

    /** The position behind the last byte that was written. */
    int end() {
        return end;
    }

    /**
     * Makes room for this number of bytes behind {@link #end}.
     *
     * @return the array to write to; {@link #advance} counts what was written
     */
    byte[] withRoom(int size) {
        if (size > array.length - end) {
            long needed = (long) end + size;
            if (needed > SIZE_MAX) {
                throw new MusterException(
                        "a compressed batch may need " + needed + " bytes, and no array is that large",
                        "send its records in parts");
            }
            array = Arrays.copyOf(array, (int) Math.clamp(array.length * 3L / 2, needed, SIZE_MAX));
        }
        return array;
    }

    /** Counts bytes that the caller wrote to the array behind {@link #end}. */
    void advance(int size) {
        end += size;
    }

    @Override
    public void write(int value) {
        withRoom(1)[end++] = (byte) value;
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        System.arraycopy(bytes, from, withRoom(length), end, length);
        end += length;
    }
}
