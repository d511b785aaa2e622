package dev.muster.cli.text;

import dev.muster.embedded.Received;
import java.io.IOException;

/** Writes a record the way the user asked for. */
public interface RecordWriter {
    void write(ByteSink out, Received<byte[], byte[]> record) throws IOException;

    /** The value and a newline; nothing but the newline for a null value. */
    RecordWriter VALUE_LINES = (out, record) -> {
        if (record.value() != null) {
            out.put(record.value());
        }
        out.put('\n');
    };
}
