package dev.muster.core.json;

/**
 * Conversion between JSON text and plain values. Objects are {@code Map<String, Object>} in the order of the text,
 * arrays are {@code List<Object>}. Whole numbers that fit are {@code Long}, all others {@code Double}. Strings,
 * booleans and null are themselves.
 */
public final class Json {
    /** The largest depth of nested objects and arrays. Deeper text is a mistake or an attack on the stack. */
    public static final int DEPTH_MAX = 100;

    private Json() {}

    /**
     * Reads a text that holds one value and nothing else. The caller may change the returned maps and lists.
     *
     * @throws JsonException if the text is not JSON; the message has the line and the column
     */
    public static Object parse(String text) {
        return new JsonReader(text).document();
    }

    /** Writes a value on one line. Names in an object keep the order of the map. */
    public static String write(Object value) {
        return new JsonWriter().value(value).toString();
    }
}
