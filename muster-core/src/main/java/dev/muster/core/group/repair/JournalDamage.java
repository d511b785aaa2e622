package dev.muster.core.group.repair;

import java.util.List;
import java.util.Optional;

/**
 * Lines of a journal that cannot be read.
 *
 * @param file where they are; empty: the bytes are as they were written, but not a line that this version understands
 * @param position in the file, in bytes; -1 without a file
 * @param firstVersion the first version that is lost
 * @param nextVersion the version behind the last that is lost
 * @param problem what is wrong
 */
public record JournalDamage(Optional<String> file, long position, long firstVersion, long nextVersion, String problem) {

    /** How many lines are lost. */
    public static long lost(List<JournalDamage> damages) {
        return damages.stream()
                .mapToLong(damage -> damage.nextVersion() - damage.firstVersion())
                .sum();
    }
}
