package dev.muster.store.file.finding;

import java.nio.file.Path;

/**
 * Something a check noticed.
 *
 * @param position the byte in the file, or -1 when it is about the file as a whole
 * @param topicPartition such as {@code orders-3}, or {@code group workers}; empty when it is about neither
 * @param offset the first offset concerned, or -1
 * @param repair what a repair does about it, or did; empty if it can do nothing
 */
public record Finding(
        Severity severity,
        Path file,
        long position,
        String topicPartition,
        long offset,
        String problem,
        String repair) {
    /** How bad it is. */
    public enum Severity {
        /** Records cannot be read, or a file is not what it should be. */
        DAMAGE,
        /** Worth knowing; nothing that was acknowledged is concerned. */
        NOTE,
        /** Was wrong and has been made anew. */
        REPAIRED
    }

    public Finding(Severity severity, Path file, long position, String topicPartition, long offset, String problem) {
        this(severity, file, position, topicPartition, offset, problem, "");
    }
}
