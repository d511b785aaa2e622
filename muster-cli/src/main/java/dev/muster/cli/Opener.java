package dev.muster.cli;

import dev.muster.embedded.Muster;
import dev.muster.embedded.MusterOptions;
import java.nio.file.Files;
import java.nio.file.Path;

/** Turns a data directory into an open Muster. */
public interface Opener {
    Opened open(Path directory, MusterOptions options);

    /** The real thing. Without leave to create it, a missing directory is an error and stays missing. */
    Opener DIRECTORY = (directory, options) -> {
        if (!options.createMissing() && !Files.isDirectory(directory)) {
            throw new CommandException(
                    ExitCode.NOT_FOUND,
                    "there is no directory " + directory,
                    "name the data directory with --data DIR, or make a first topic: muster topic create NAME");
        }
        Muster muster = Muster.open(directory, options);
        return new Opened(muster, muster::close);
    };

    /** An open Muster and how to let go of it. */
    record Opened(Muster muster, Runnable release) implements AutoCloseable {
        @Override
        public void close() {
            release.run();
        }
    }
}
