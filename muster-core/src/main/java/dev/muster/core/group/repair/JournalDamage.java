package dev.muster.core.group.repair;

import java.util.List;
import java.util.Optional;

/**
 * Lines of a journal that cannot be read.
 *
 * @param file file of these lines; empty if the bytes are as they were written, but this version does not understand
 *     the line
 * @param position position in the file, in bytes; -1 without a file
 * @param firstVersion first version that is lost
 * @param nextVersion version behind the last one that is lost
 * @param problem description of the damage
 */
public record JournalDamage(Optional<String> file, long position, long firstVersion, long nextVersion, String problem) {

    /** The number of lost lines. */
    public static long lost(List<JournalDamage> damages) {
        return damages.stream()
                .mapToLong(damage -> damage.nextVersion() - damage.firstVersion())
                .sum();
    }
}
