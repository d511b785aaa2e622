package dev.muster.store.file.finding;

import java.nio.file.Path;

/**
 * A problem that a check found.
 *
 * @param position the byte in the file; -1 if it concerns the whole file
 * @param topicPartition the partition or group, such as {@code orders-3} or {@code group workers}; empty if it concerns
 *     neither
 * @param offset the first offset concerned; -1 if there is none
 * @param repair the way in which a repair corrects it, or did; empty if a repair cannot
 */
public record Finding(
        Severity severity,
        Path file,
        long position,
        String topicPartition,
        long offset,
        String problem,
        String repair) {
    /** The severity of a finding. */
    public enum Severity {
        /** Records cannot be read, or a file is not as it should be. */
        DAMAGE,
        /** A fact worth knowing that concerns no acknowledged record. */
        NOTE,
        /** The problem was there and has been repaired. */
        REPAIRED
    }

    public Finding(Severity severity, Path file, long position, String topicPartition, long offset, String problem) {
        this(severity, file, position, topicPartition, offset, problem, "");
    }
}
