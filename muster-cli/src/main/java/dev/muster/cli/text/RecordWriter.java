package dev.muster.cli.text;

import dev.muster.embedded.Received;
import java.io.IOException;

/** Writes a record in the user's format. */
public interface RecordWriter {
    void write(ByteSink out, Received<byte[], byte[]> record) throws IOException;

    /** Writes the value; nothing for a null value. */
    RecordWriter VALUE = (out, record) -> {
        if (record.value() != null) {
            out.put(record.value());
        }
    };

    /** Writes the value and a newline; only the newline for a null value. */
    RecordWriter VALUE_LINES = (out, record) -> {
        VALUE.write(out, record);
        out.put('\n');
    };
}
