package dev.muster.cli.command;

import dev.muster.embedded.Groups;
import dev.muster.embedded.Muster;
import dev.muster.embedded.MusterOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Turns a data directory into an open Muster. */
public interface Opener {
    /** The file that makes a directory a data directory. */
    String MARK = "muster.json";

    /** The copy of that file that a repair takes. */
    String COPY_OF_MARK = ".coordinator/" + MARK;

    Opened open(Path directory, MusterOptions options);

    /** The real thing. Without leave to create it, a directory that holds no data is an error and stays as it is. */
    Opener DIRECTORY = (directory, options) -> {
        ReadPermission.check(directory);
        checkNotLost(directory);
        if (!options.createMissing() && !Files.exists(directory.resolve(MARK))) {
            throw new CommandException(
                    ExitCode.NOT_FOUND,
                    Files.isDirectory(directory)
                            ? directory + " is not a data directory: it has no " + MARK
                            : Files.exists(directory)
                                    ? directory + " is a file, not a data directory"
                                    : "there is no directory " + directory,
                    "name the data directory with --data DIR, or make a first topic: muster topic create NAME");
        }
        Muster muster = Muster.open(directory, options);
        return new Opened(muster, muster::close);
    };

    /** Refuses a data directory without the file that makes it one, where a repair has a copy of it. */
    static void checkNotLost(Path directory) {
        if (!Files.exists(directory.resolve(MARK)) && Files.exists(directory.resolve(COPY_OF_MARK))) {
            throw new CommandException(
                    ExitCode.REFUSED,
                    directory + " is a data directory that lost its " + MARK,
                    "restore it from its copy: muster check " + directory + " --repair");
        }
    }

    /**
     * An open Muster and how to let go of it.
     *
     * @param looking gives its groups
     */
    record Opened(Muster muster, Supplier<Groups> looking, Runnable release) implements AutoCloseable {
        public Opened(Muster muster, Runnable release) {
            this(muster, muster::groups, release);
        }

        public Groups groups() {
            return looking.get();
        }

        @Override
        public void close() {
            release.run();
        }
    }
}
