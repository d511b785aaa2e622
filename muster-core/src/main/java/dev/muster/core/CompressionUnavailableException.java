package dev.muster.core;

import java.util.Objects;

/**
 * This process cannot compress or decompress with one kind of compression: the library for it is missing, or does not
 * work here. The records are not damaged. A process that has the library can read them.
 */
public final class CompressionUnavailableException extends MusterException {
    private final CompressionKind kind;

    /**
     * @param kind the compression that was asked for
     * @param problem the reason, as the end of a sentence
     * @param hint the remedy, as {@link MusterException#hint()} describes it
     * @param cause the error of the library or of the class loader
     */
    public CompressionUnavailableException(CompressionKind kind, String problem, String hint, Throwable cause) {
        super(kind + " compression is not available: " + problem, hint, cause);
        this.kind = Objects.requireNonNull(kind, "kind");
    }

    /** The compression that was asked for. */
    public CompressionKind kind() {
        return kind;
    }
}
