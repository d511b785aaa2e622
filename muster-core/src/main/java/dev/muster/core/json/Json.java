package dev.muster.core.json;

/**
 * JSON text to plain values and back: objects are {@code Map<String, Object>} in the order of the text, arrays are
 * {@code List<Object>}, numbers are {@code Long} when they are whole and fit, otherwise {@code Double}; strings,
 * booleans and null are themselves.
 */
public final class Json {
    /** How deep objects and arrays may stand in each other: more is a mistake or an attack on the stack. */
    public static final int DEPTH_MAX = 100;

    private Json() {}

    /**
     * Reads one value and nothing behind it. The maps and lists may be changed by the caller.
     *
     * @throws JsonException when the text is not JSON; says where
     */
    public static Object parse(String text) {
        return new JsonReader(text).document();
    }

    /** Writes a value on one line. Names in an object keep the order of the map. */
    public static String write(Object value) {
        return new JsonWriter().value(value).toString();
    }
}
