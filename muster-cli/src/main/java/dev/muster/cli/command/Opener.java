package dev.muster.cli.command;

import dev.muster.embedded.Muster;
import dev.muster.embedded.MusterOptions;
import dev.muster.embedded.internal.GroupInspection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Opens a data directory. */
public interface Opener {
    /** The file that marks a directory as a data directory. */
    String MARK = "muster.json";

    /** The copy of that file, from which a repair restores it. */
    String COPY_OF_MARK = ".coordinator/" + MARK;

    Opened open(Path directory, MusterOptions options);

    /** Opens a real directory. Unless it may be created, a directory without data is an error and is left unchanged. */
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

    /** Refuses a data directory that lost its mark, if there is a copy of it. */
    static void checkNotLost(Path directory) {
        if (!Files.exists(directory.resolve(MARK)) && Files.exists(directory.resolve(COPY_OF_MARK))) {
            throw new CommandException(
                    ExitCode.REFUSED,
                    directory + " is a data directory that lost its " + MARK,
                    "restore it from its copy: muster check " + directory + " --repair");
        }
    }

    /**
     * An open Muster, and the way to release it.
     *
     * @param looking gives its groups
     */
    record Opened(Muster muster, Supplier<GroupInspection> looking, Runnable release) implements AutoCloseable {
        public Opened(Muster muster, Runnable release) {
            this(muster, () -> GroupInspection.of(muster), release);
        }

        public GroupInspection groups() {
            return looking.get();
        }

        @Override
        public void close() {
            release.run();
        }
    }
}
