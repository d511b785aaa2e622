package dev.muster.cli.text;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A buffer of bytes for a stream. For one thread at a time. Nothing reaches the stream before the buffer is full or
 * {@link #flush} is called. So flush before waiting.
 */
public final class ByteSink {
    private static final int LONG_DIGITS_MAX = 20;

    private final OutputStream out;
    private final byte[] buffer;
    private int size;
    private long drained;

    public ByteSink(OutputStream out, int capacity) {
        this.out = out;
        this.buffer = new byte[Math.max(LONG_DIGITS_MAX, capacity)];
    }

    public void put(int b) throws IOException {
        if (size == buffer.length) {
            drain();
        }
        buffer[size++] = (byte) b;
    }

    public void put(byte[] bytes) throws IOException {
        put(bytes, 0, bytes.length);
    }

    public void put(byte[] bytes, int from, int length) throws IOException {
        if (length > buffer.length - size) {
            drain();
            if (length >= buffer.length) {
                out.write(bytes, from, length);
                drained += length;
                return;
            }
        }
        System.arraycopy(bytes, from, buffer, size, length);
        size += length;
    }

    /** Writes characters of one byte each. */
    public void ascii(String text) throws IOException {
        for (int i = 0; i < text.length(); i++) {
            put(text.charAt(i));
        }
    }

    public void decimal(long number) throws IOException {
        if (buffer.length - size < LONG_DIGITS_MAX) {
            drain();
        }
        if (number == Long.MIN_VALUE) {
            ascii(Long.toString(number));
            return;
        }
        if (number < 0) {
            buffer[size++] = '-';
        }
        long rest = Math.abs(number);
        int end = size + digits(rest);
        for (int at = end - 1; at >= size; at--) {
            buffer[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        size = end;
    }

    private static int digits(long number) {
        int digits = 1;
        for (long bound = 10; number >= bound && digits < 19; bound *= 10) {
            digits++;
        }
        return digits;
    }

    /** The number of bytes written since the beginning. */
    public long position() {
        return drained + size;
    }

    public void flush() throws IOException {
        drain();
        out.flush();
    }

    private void drain() throws IOException {
        // The bytes count as written before they are: after a failed write (a closed pipe) they must not be sent again.
        int length = size;
        size = 0;
        drained += length;
        out.write(buffer, 0, length);
    }
}
