package dev.muster.cli.bench;

import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What the three measurements have in common. {@link #problem} is asked before anything is made. */
final class BenchOptions {
    private static final int SIZE_MAX = 8 << 20;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "Bytes in a record (${DEFAULT-VALUE}).")
    private int size;

    @Option(
            names = "--sync",
            paramLabel = "LEVEL",
            defaultValue = "os",
            converter = SyncLevelConverter.class,
            description = "When a record counts as written: commit, interval or os (${DEFAULT-VALUE}).")
    private SyncLevel sync;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "7",
            description = "The records follow from it (${DEFAULT-VALUE}).")
    private long seed;

    int size() {
        return size;
    }

    SyncLevel sync() {
        return sync;
    }

    long seed() {
        return seed;
    }

    /** What is wrong, or null. */
    String problem() {
        return size < RecordMaker.BYTES_MIN || size > SIZE_MAX
                ? "--size must be between " + RecordMaker.BYTES_MIN + " and " + SIZE_MAX + ", it is " + size
                : null;
    }

    /** Users write levels in lower case. */
    static final class SyncLevelConverter implements ITypeConverter<SyncLevel> {
        @Override
        public SyncLevel convert(String text) {
            try {
                return SyncLevel.parse(text);
            } catch (MusterException e) {
                throw new TypeConversionException(
                        e.getMessage() + ": " + e.hint().orElse(""));
            }
        }
    }
}
