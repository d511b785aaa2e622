package dev.muster.cli.text;

import dev.muster.core.Header;
import dev.muster.embedded.Received;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * One record as one JSON object on one line, without loss: {@link JsonRecordParser} reads back the same bytes. Text in
 * UTF-8 is a string; other bytes stand in a field of the same name with {@code Base64} behind it.
 *
 * <pre>
 * {"topic":"orders","partition":0,"offset":7,"timestamp":1700000000000,"key":"k","value":"v","headers":[{"key":"h","value":"x"}]}
 * {"topic":"orders","partition":0,"offset":8,"timestamp":1700000000001,"key":null,"valueBase64":"/w==","headers":[]}
 * </pre>
 */
public final class JsonRecordWriter implements RecordWriter {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    @Override
    public void write(ByteSink out, Received<byte[], byte[]> record) throws IOException {
        writeObject(out, record);
        out.put('\n');
    }

    /** Writes the items of a JSON array: a comma before each but the first. For one array. */
    public RecordWriter asArrayItems() {
        boolean[] begun = {false};
        return (out, record) -> {
            out.ascii(begun[0] ? ",\n" : "\n");
            begun[0] = true;
            writeObject(out, record);
        };
    }

    private void writeObject(ByteSink out, Received<byte[], byte[]> record) throws IOException {
        out.ascii("{\"topic\":\"");
        // No character of a topic name needs an escape in JSON.
        out.ascii(record.topic());
        out.ascii("\",\"partition\":");
        out.decimal(record.partition());
        out.ascii(",\"offset\":");
        out.decimal(record.offset());
        out.ascii(",\"timestamp\":");
        out.decimal(record.timestampMillis());
        field(out, ",\"key", record.key());
        field(out, ",\"value", record.value());
        headers(out, record.headers());
        out.put('}');
    }

    private static void headers(ByteSink out, List<Header> headers) throws IOException {
        out.ascii(",\"headers\":[");
        for (int i = 0; i < headers.size(); i++) {
            out.ascii(i == 0 ? "{\"key\":" : ",{\"key\":");
            string(out, headers.get(i).key().getBytes(StandardCharsets.UTF_8));
            field(out, ",\"value", headers.get(i).value());
            out.put('}');
        }
        out.put(']');
    }

    private static void field(ByteSink out, String openName, byte[] bytes) throws IOException {
        out.ascii(openName);
        if (bytes == null) {
            out.ascii("\":null");
        } else if (Utf8.isValid(bytes)) {
            out.ascii("\":");
            string(out, bytes);
        } else {
            out.ascii("Base64\":\"");
            out.put(Base64.getEncoder().encode(bytes));
            out.put('"');
        }
    }

    /** Writes valid UTF-8 as a JSON string, with as few escapes as possible. */
    private static void string(ByteSink out, byte[] utf8) throws IOException {
        out.put('"');
        int plainFrom = 0;
        for (int i = 0; i < utf8.length; i++) {
            byte b = utf8[i];
            if (b >= 0 && b < ' ' || b == '"' || b == '\\') {
                out.put(utf8, plainFrom, i - plainFrom);
                escape(out, b);
                plainFrom = i + 1;
            }
        }
        out.put(utf8, plainFrom, utf8.length - plainFrom);
        out.put('"');
    }

    private static void escape(ByteSink out, byte b) throws IOException {
        switch (b) {
            case '"', '\\' -> {
                out.put('\\');
                out.put(b);
            }
            case '\n' -> out.ascii("\\n");
            case '\r' -> out.ascii("\\r");
            case '\t' -> out.ascii("\\t");
            default -> {
                out.ascii("\\u00");
                out.put(HEX[b >> 4]);
                out.put(HEX[b & 15]);
            }
        }
    }
}
