package dev.muster.cli.text;

import dev.muster.core.MusterException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Turns {@code \n \t \r \0 \\ \xNN} in an argument into the bytes they stand for; other characters are UTF-8. */
public final class Escapes {
    private Escapes() {}

    public static byte[] bytes(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int plainFrom = 0;
        int at = 0;
        while ((at = text.indexOf('\\', plainFrom)) >= 0) {
            out.writeBytes(text.substring(plainFrom, at).getBytes(StandardCharsets.UTF_8));
            plainFrom = escape(text, at, out);
        }
        out.writeBytes(text.substring(plainFrom).getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }

    /**
     * Writes the character of an escape.
     *
     * @return the index after the escape
     */
    private static int escape(String text, int at, ByteArrayOutputStream out) {
        char kind = at + 1 < text.length() ? text.charAt(at + 1) : '\0';
        switch (kind) {
            case 'n' -> out.write('\n');
            case 't' -> out.write('\t');
            case 'r' -> out.write('\r');
            case '0' -> out.write(0);
            case '\\' -> out.write('\\');
            case 'x' -> {
                out.write(hex(text, at + 2) << 4 | hex(text, at + 3));
                return at + 4;
            }
            default -> throw unknown(text, at);
        }
        return at + 2;
    }

    private static int hex(String text, int at) {
        int digit = at < text.length() ? Character.digit(text.charAt(at), 16) : -1;
        if (digit < 0) {
            throw new MusterException("\\x needs two hex digits in \"" + text + "\"", "write \\x1f");
        }
        return digit;
    }

    private static MusterException unknown(String text, int at) {
        return new MusterException(
                "unknown escape at character " + (at + 1) + " of \"" + text + "\"",
                "known are \\n \\t \\r \\0 \\\\ \\xNN");
    }
}
