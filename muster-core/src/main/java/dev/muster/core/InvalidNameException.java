package dev.muster.core;

/** A name given by a user or a client breaks the rules for names of its kind. Nothing was changed. */
public final class InvalidNameException extends MusterException {
    private static final int SHOWN_MAX = 60;

    /** @param rule description of a valid name, shown as a hint */
    public InvalidNameException(String kind, String name, String problem, String rule) {
        super("invalid " + kind + " name " + shown(name) + ": " + problem, rule);
    }

    private static String shown(String name) {
        if (name == null) {
            return "(none)";
        }
        String text = name.length() <= SHOWN_MAX ? name : name.substring(0, SHOWN_MAX) + "…";
        StringBuilder out = new StringBuilder("\"");
        text.chars().forEach(c -> out.append(c < ' ' || c == 127 ? "\\u%04x".formatted(c) : Character.toString(c)));
        return out.append('"').toString();
    }
}
