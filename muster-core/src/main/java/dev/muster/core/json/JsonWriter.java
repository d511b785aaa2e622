package dev.muster.core.json;

import java.util.Map;

/**
 * Writes JSON on one line, piece by piece, for one thread: {@code new JsonWriter().object().field("a", 1).end()}.
 * {@link #toString()} is the text so far. Control characters and lone surrogates are escaped, so every string can be
 * written, encoded as UTF-8 and shown on a terminal.
 */
public final class JsonWriter {
    private static final String HEX = "0123456789abcdef";

    private final StringBuilder out = new StringBuilder();
    private final StringBuilder open = new StringBuilder();
    private boolean comma;

    public JsonWriter object() {
        return open('{', '}');
    }

    public JsonWriter array() {
        return open('[', ']');
    }

    /** Ends the innermost open object or array. */
    public JsonWriter end() {
        if (open.isEmpty()) {
            throw new IllegalStateException("no JSON object or array is open");
        }
        out.append(open.charAt(open.length() - 1));
        open.setLength(open.length() - 1);
        comma = true;
        return this;
    }

    /** Writes a name in an object. Its value must follow. */
    public JsonWriter name(String name) {
        string(name);
        out.append(':');
        comma = false;
        return this;
    }

    public JsonWriter field(String name, Object value) {
        return name(name).value(value);
    }

    public JsonWriter field(String name, long value) {
        return name(name).value(value);
    }

    public JsonWriter value(long value) {
        separate();
        out.append(value);
        return this;
    }

    /**
     * Writes a map, a sequence, a number, a boolean or null. Any other value is written as the string of its
     * {@code toString()}.
     */
    public JsonWriter value(Object value) {
        switch (value) {
            case null -> plain("null");
            case Boolean b -> plain(b.toString());
            case Double d when !Double.isFinite(d) -> throw new IllegalArgumentException("JSON has no number " + d);
            case Float f when !Float.isFinite(f) -> throw new IllegalArgumentException("JSON has no number " + f);
            case Number n -> plain(n.toString());
            case Map<?, ?> map -> {
                object();
                map.forEach((name, item) -> field(name.toString(), item));
                end();
            }
            case Iterable<?> items -> {
                array();
                items.forEach(this::value);
                end();
            }
            default -> string(value.toString());
        }
        return this;
    }

    @Override
    public String toString() {
        return out.toString();
    }

    private JsonWriter open(char begin, char end) {
        if (open.length() == Json.DEPTH_MAX) {
            throw new IllegalStateException("deeper than " + Json.DEPTH_MAX + " levels");
        }
        separate();
        out.append(begin);
        open.append(end);
        comma = false;
        return this;
    }

    private void plain(String text) {
        separate();
        out.append(text);
    }

    private void separate() {
        if (comma) {
            out.append(',');
        }
        comma = true;
    }

    private void string(String text) {
        separate();
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ' || c >= 0x7F && c < 0xA0 || Character.isSurrogate(c) && isAlone(text, i)) {
                        escape(c);
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private static boolean isAlone(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                ? i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1))
                : i == 0 || !Character.isHighSurrogate(text.charAt(i - 1));
    }

    private void escape(char c) {
        out.append("\\u")
                .append(HEX.charAt(c >> 12))
                .append(HEX.charAt(c >> 8 & 0xF))
                .append(HEX.charAt(c >> 4 & 0xF))
                .append(HEX.charAt(c & 0xF));
    }
}
