package dev.muster.store.file.group;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A name of any characters as the name of a file. Letters, digits and {@code . _ -} stay; every other byte of its UTF-8
 * becomes {@code %XX}, and so does a dot at the start. Different names always get different file names. A name that is
 * too long for a file is cut, and ends with {@code %~} and a digest of the whole name.
 */
final class EscapedName {
    /** The largest length, below the 255 bytes that file names may have. */
    private static final int LENGTH_MAX = 200;

    private static final int KEPT = 140;
    private static final String DIGEST_MARK = "%~";

    private EscapedName() {}

    static String of(String name) {
        StringBuilder escaped = new StringBuilder();
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            if (isPlain(c) && !(c == '.' && escaped.isEmpty())) {
                escaped.append(c);
            } else {
                escaped.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
            }
        }
        if (escaped.length() <= LENGTH_MAX) {
            return escaped.toString();
        }
        int lastEscape = escaped.lastIndexOf("%", KEPT - 1);
        int end = lastEscape > KEPT - 3 ? lastEscape : KEPT;
        return escaped.substring(0, end) + DIGEST_MARK + digest(name);
    }

    /** The name whose escaped form this is; empty if the name was cut, or if this is no escaped name. */
    static Optional<String> name(String escaped) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            if (c == '%' && i + 2 < escaped.length() && isHex(escaped.charAt(i + 1)) && isHex(escaped.charAt(i + 2))) {
                bytes.write(HexFormat.fromHexDigits(escaped, i + 1, i + 3));
                i += 2;
            } else {
                bytes.write(c);
            }
        }
        String name = bytes.toString(StandardCharsets.UTF_8);
        return of(name).equals(escaped) ? Optional.of(name) : Optional.empty();
    }

    private static boolean isHex(char c) {
        return HexFormat.isHexDigit(c);
    }

    private static boolean isPlain(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-';
    }

    private static String digest(String name) {
        try {
            byte[] all = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(all, 0, 20);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }
}
