package dev.muster.cli.text;

import dev.muster.embedded.Received;
import java.io.IOException;

/** Writes a record the way the user asked for. */
public interface RecordWriter {
    void write(ByteSink out, Received<byte[], byte[]> record) throws IOException;

    /** The value, as it is; nothing for a null value. */
    RecordWriter VALUE = (out, record) -> {
        if (record.value() != null) {
            out.put(record.value());
        }
    };

    /** The value and a newline; nothing but the newline for a null value. */
    RecordWriter VALUE_LINES = (out, record) -> {
        VALUE.write(out, record);
        out.put('\n');
    };
}
