package dev.muster.cli.text;

import dev.muster.core.Header;
import dev.muster.core.MusterException;
import dev.muster.embedded.Received;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A format string with kcat's letters: {@code %t} topic, {@code %p} partition, {@code %o} offset, {@code %k} key,
 * {@code %s} value, {@code %h} headers, {@code %T} timestamp (ms), {@code %K} and {@code %S} length of key and value
 * (-1 for null), {@code %R} length of the value in four bytes, big-endian, {@code %%} a percent sign. Null prints as
 * nothing.
 */
public final class RecordFormat implements RecordWriter {
    private interface Part {
        void write(ByteSink out, Received<byte[], byte[]> record) throws IOException;
    }

    private final Part[] parts;

    private RecordFormat(List<Part> parts) {
        this.parts = parts.toArray(Part[]::new);
    }

    public static RecordFormat parse(String format) {
        List<Part> parts = new ArrayList<>();
        int plainFrom = 0;
        int at = 0;
        while ((at = format.indexOf('%', plainFrom)) >= 0) {
            plain(format.substring(plainFrom, at), parts);
            parts.add(letter(at + 1 < format.length() ? format.charAt(at + 1) : '\0', format));
            plainFrom = at + 2;
        }
        plain(format.substring(Math.min(plainFrom, format.length())), parts);
        return new RecordFormat(parts);
    }

    private static void plain(String text, List<Part> parts) {
        if (!text.isEmpty()) {
            byte[] bytes = Escapes.bytes(text);
            parts.add((out, record) -> out.put(bytes));
        }
    }

    private static Part letter(char letter, String format) {
        return switch (letter) {
            case 't' -> (out, record) -> out.ascii(record.topic());
            case 'p' -> (out, record) -> out.decimal(record.partition());
            case 'o' -> (out, record) -> out.decimal(record.offset());
            case 'k' -> (out, record) -> bytes(out, record.key());
            case 's' -> (out, record) -> bytes(out, record.value());
            case 'h' -> (out, record) -> headers(out, record.headers());
            case 'T' -> (out, record) -> out.decimal(record.timestampMillis());
            case 'K' -> (out, record) -> out.decimal(length(record.key()));
            case 'S' -> (out, record) -> out.decimal(length(record.value()));
            case 'R' -> (out, record) -> fourBytes(out, length(record.value()));
            case '%' -> (out, record) -> out.put('%');
            default ->
                throw new MusterException(
                        "unknown letter \"%" + (letter == '\0' ? "" : letter) + "\" in format \"" + format + "\"",
                        "known are %t %p %o %k %s %h %T %K %S %R %%");
        };
    }

    @Override
    public void write(ByteSink out, Received<byte[], byte[]> record) throws IOException {
        for (Part part : parts) {
            part.write(out, record);
        }
    }

    private static void bytes(ByteSink out, byte[] bytes) throws IOException {
        if (bytes != null) {
            out.put(bytes);
        }
    }

    private static int length(byte[] bytes) {
        return bytes == null ? -1 : bytes.length;
    }

    private static void fourBytes(ByteSink out, int number) throws IOException {
        for (int shift = 24; shift >= 0; shift -= 8) {
            out.put(number >>> shift);
        }
    }

    private static void headers(ByteSink out, List<Header> headers) throws IOException {
        for (int i = 0; i < headers.size(); i++) {
            if (i > 0) {
                out.put(',');
            }
            out.put(headers.get(i).key().getBytes(StandardCharsets.UTF_8));
            out.put('=');
            bytes(out, headers.get(i).value());
        }
    }
}
