package dev.muster.cli.text;

import dev.muster.core.MusterException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The lines of a stream as bytes, without the newline, but with a carriage return if there is one. A last line without
 * a newline counts. Reads ahead only bytes that are available; never waits while a whole line is there.
 */
public final class Lines {
    private static final int BUFFER_BYTES = 64 << 10;

    private final InputStream in;
    private final int lineBytesMax;
    private byte[] buffer = new byte[BUFFER_BYTES];
    private int filled;
    private int lineFrom;
    private int lineTo;
    private int nextFrom;
    private long number;
    private boolean ended;
    private boolean lineIsWhole;

    public Lines(InputStream in, int lineBytesMax) {
        this.in = in;
        this.lineBytesMax = lineBytesMax;
    }

    /** Goes to the next line; false if there is none. */
    public boolean next() throws IOException {
        lineFrom = nextFrom;
        int scanned = lineFrom;
        while (true) {
            int newline = indexOfNewline(scanned);
            if (newline >= 0) {
                lineTo = newline;
                nextFrom = newline + 1;
                lineIsWhole = true;
                number++;
                return true;
            }
            scanned = filled - lineFrom;
            if (ended || !fill()) {
                return lastLine();
            }
            scanned += lineFrom;
        }
    }

    private int indexOfNewline(int from) {
        byte[] bytes = buffer;
        for (int i = from; i < filled; i++) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    private boolean lastLine() {
        ended = true;
        if (lineFrom == filled) {
            return false;
        }
        lineTo = filled;
        nextFrom = filled;
        lineIsWhole = false;
        number++;
        return true;
    }

    /** Moves the unfinished line to the front, makes room, and reads once. */
    private boolean fill() throws IOException {
        int begun = filled - lineFrom;
        if (begun > lineBytesMax) {
            throw new MusterException(
                    "line " + (number + 1) + " is longer than " + lineBytesMax + " bytes",
                    "is this text? use --in raw for one record per file, or raise max.message.bytes");
        }
        System.arraycopy(buffer, lineFrom, buffer, 0, begun);
        lineFrom = 0;
        filled = begun;
        if (filled == buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.multiplyExact(buffer.length, 2));
        }
        int count = in.read(buffer, filled, buffer.length - filled);
        if (count < 0) {
            return false;
        }
        filled += count;
        return true;
    }

    /** Valid until the next call of {@link #next}. */
    public byte[] buffer() {
        return buffer;
    }

    public int from() {
        return lineFrom;
    }

    public int to() {
        return lineTo;
    }

    /** The number of the line, from 1. */
    public long number() {
        return number;
    }

    /** True if the line ended with a newline. The last line may not. */
    public boolean isWhole() {
        return lineIsWhole;
    }
}
