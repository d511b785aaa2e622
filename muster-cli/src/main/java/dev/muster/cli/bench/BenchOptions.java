package dev.muster.cli.bench;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.RootCommand;
import dev.muster.core.SyncLevel;
import picocli.CommandLine.Option;

/** The options of all three measurements. */
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
            description = "When a record counts as written: commit, interval or os (${DEFAULT-VALUE}).")
    private String sync;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "7",
            description = "The seed of the records' content (${DEFAULT-VALUE}).")
    private long seed;

    /** Checks the options before a topic is created. */
    void check() {
        sync();
        if (size < RecordMaker.BYTES_MIN || size > SIZE_MAX) {
            throw CommandException.usage(
                    "--size: " + size + " bytes is too small or too large",
                    "use " + RecordMaker.BYTES_MIN + " to " + SIZE_MAX);
        }
    }

    /** Refuses a count below 1. */
    static void requirePositive(String option, long value) {
        if (value < 1) {
            throw CommandException.usage(option + ": " + value + " is too small", "use 1 or more");
        }
    }

    int size() {
        return size;
    }

    SyncLevel sync() {
        return RootCommand.argument("--sync", sync, SyncLevel::parse);
    }

    RecordMaker maker() {
        return new RecordMaker(seed, size);
    }
}
