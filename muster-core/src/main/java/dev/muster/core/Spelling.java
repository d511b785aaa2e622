package dev.muster.core;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known word that a user probably meant. */
public final class Spelling {
    private Spelling() {}

    /** The known word with the fewest letters changed, added or removed. Empty if no known word is close. */
    public static Optional<String> nearest(String word, Collection<String> known) {
        int allowed = 1 + word.length() / 4;
        return known.stream()
                .filter(candidate -> distance(word, candidate) <= allowed)
                .min(Comparator.comparingInt(candidate -> distance(word, candidate)));
    }

    /** Levenshtein distance: the number of letters to change, add or remove. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
