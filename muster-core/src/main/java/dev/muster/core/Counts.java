package dev.muster.core;

/** Numbers of things, in the singular and the plural: {@code 1 topic}, {@code 2 topics}. */
public final class Counts {
    private Counts() {}

    /** The number with a noun whose plural ends in s. */
    public static String of(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
