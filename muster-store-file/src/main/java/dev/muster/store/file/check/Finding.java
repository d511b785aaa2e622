package dev.muster.store.file.check;

import java.nio.file.Path;

/**
 * Something a check noticed.
 *
 * @param position the byte in the file, or -1 when it is about the file as a whole
 * @param topicPartition such as {@code orders-3}, or {@code group workers}; empty when it is about neither
 * @param offset the first offset concerned, or -1
 */
public record Finding(Severity severity, Path file, long position, String topicPartition, long offset, String problem) {
    /** How bad it is. */
    public enum Severity {
        /** Records cannot be read, or a file is not what it should be. */
        DAMAGE,
        /** Worth knowing; nothing that was acknowledged is concerned. */
        NOTE,
        /** Was wrong and has been made anew. */
        REPAIRED
    }
}
