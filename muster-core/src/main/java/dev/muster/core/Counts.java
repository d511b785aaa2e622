package dev.muster.core;

/** Texts of a number and a noun, in the singular or the plural: {@code 1 topic}, {@code 2 topics}. */
public final class Counts {
    private Counts() {}

    /** The number and the noun, for a noun whose plural ends in s. */
    public static String of(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
