package dev.muster.core.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads one JSON text by recursive descent, strictly by RFC 8259. An instance reads one text. */
final class JsonReader {
    private final String text;
    private int at;
    private int depth;

    JsonReader(String text) {
        this.text = text;
    }

    Object document() {
        Object value = value();
        if (peek() != -1) {
            throw error("there is more behind the value");
        }
        return value;
    }

    private Object value() {
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            case -1 -> throw error("the text ends where a value should be");
            default -> number();
        };
    }

    private Map<String, Object> object() {
        enter();
        Map<String, Object> map = new LinkedHashMap<>();
        if (peek() == '}') {
            leave();
            return map;
        }
        while (true) {
            if (peek() != '"') {
                throw error("a name in quotes should be here");
            }
            int nameAt = at;
            String name = string();
            if (map.containsKey(name)) {
                at = nameAt;
                throw error("this name occurs twice in one object");
            }
            if (peek() != ':') {
                throw error("a colon should be here");
            }
            at++;
            map.put(name, value());
            if (endsWith('}')) {
                return map;
            }
        }
    }

    private List<Object> array() {
        enter();
        List<Object> list = new ArrayList<>();
        if (peek() == ']') {
            leave();
            return list;
        }
        while (true) {
            list.add(value());
            if (endsWith(']')) {
                return list;
            }
        }
    }

    private void enter() {
        depth++;
        if (depth > Json.DEPTH_MAX) {
            throw error("deeper than " + Json.DEPTH_MAX + " levels");
        }
        at++;
    }

    private void leave() {
        depth--;
        at++;
    }

    private boolean endsWith(char close) {
        int c = peek();
        if (c == close) {
            leave();
            return true;
        }
        if (c != ',') {
            throw error("a comma or " + close + " should be here");
        }
        at++;
        return false;
    }

    private String string() {
        at++;
        StringBuilder out = null;
        int plainFrom = at;
        while (true) {
            if (at == text.length()) {
                throw error("the text ends in a string");
            }
            char c = text.charAt(at);
            if (c < ' ') {
                throw error("a string contains a control character");
            }
            if (c == '"') {
                String plain = text.substring(plainFrom, at++);
                return out == null ? plain : out.append(plain).toString();
            }
            if (c == '\\') {
                out = out == null ? new StringBuilder() : out;
                out.append(text, plainFrom, at).append(escape());
                plainFrom = at;
            } else {
                at++;
            }
        }
    }

    private char escape() {
        int kind = at + 1 < text.length() ? text.charAt(at + 1) : -1;
        char c = switch (kind) {
            case '"', '\\', '/' -> (char) kind;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hex();
            default -> throw error("an unknown escape");
        };
        at += kind == 'u' ? 6 : 2;
        return c;
    }

    private char hex() {
        int c = 0;
        for (int i = at + 2; i < at + 6; i++) {
            char digit = i < text.length() ? text.charAt(i) : ' ';
            int value = digit < 0x80 ? Character.digit(digit, 16) : -1;
            if (value < 0) {
                throw error("four hexadecimal digits should follow \\u");
            }
            c = c << 4 | value;
        }
        return (char) c;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw error("an unknown word");
        }
        at += word.length();
        return value;
    }

    private Object number() {
        int from = at;
        skip('-');
        int digitsFrom = at;
        if (!skip('0')) {
            digits("a value should be here");
        }
        int wholeEnd = at;
        if (skip('.')) {
            digits("a digit should follow the point");
        }
        if (skip('e') || skip('E')) {
            if (!skip('-')) {
                skip('+');
            }
            digits("a digit should stand in the exponent");
        }
        // 19 digits may be too many for a long, 18 never are.
        if (at == wholeEnd && at - digitsFrom <= 19) {
            try {
                return Long.parseLong(text, from, at, 10);
            } catch (NumberFormatException e) {
                return Double.valueOf(text.substring(from, at));
            }
        }
        double value = Double.parseDouble(text.substring(from, at));
        if (Double.isInfinite(value)) {
            at = from;
            throw error("a number that is too large");
        }
        return value;
    }

    private void digits(String otherwise) {
        int from = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == from) {
            throw error(otherwise);
        }
    }

    private boolean skip(char c) {
        boolean found = at < text.length() && text.charAt(at) == c;
        at += found ? 1 : 0;
        return found;
    }

    /** The next character that is not white space, or -1 at the end. The position stays before that character. */
    private int peek() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                return c;
            }
            at++;
        }
        return -1;
    }

    private JsonException error(String problem) {
        return new JsonException(text, at, problem);
    }
}
