package dev.muster.cli.produce;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Session;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The streams of records, one after the other: files and stdin, or stdin alone if no file is named. */
final class Inputs {
    /** Takes one stream; false ends the iteration. */
    interface Taker {
        boolean take(String name, InputStream in);
    }

    private final List<String> names;
    private final Session session;

    Inputs(List<String> names, Session session) {
        this.names = names.isEmpty() ? List.of("-") : names;
        this.session = session;
        for (String name : this.names) {
            // Checked before the first record is sent: half an import is worse than none.
            if (!name.equals("-")) {
                check(Path.of(name));
            }
        }
    }

    private static void check(Path file) {
        if (Files.isDirectory(file)) {
            throw new CommandException(ExitCode.USAGE, file + " is a directory, not a file", "name its files");
        }
        if (!Files.isReadable(file)) {
            boolean denied = Files.exists(file);
            throw new CommandException(
                    denied ? ExitCode.REFUSED : ExitCode.NOT_FOUND,
                    denied ? "permission denied: " + file + " cannot be read" : "there is no file " + file,
                    null);
        }
    }

    void forEach(Taker taker) throws IOException {
        for (String name : names) {
            boolean fromStdin = name.equals("-");
            try (InputStream raw = fromStdin ? new Uncloseable(session.in()) : Files.newInputStream(Path.of(name));
                    InputStream in = new StoppableInput(raw, session.stop())) {
                if (!taker.take(names.size() == 1 ? "" : name + ", ", in)
                        || session.stop().isRaised()) {
                    return;
                }
            }
        }
    }

    /** Stdin, which must not be closed. */
    private static final class Uncloseable extends InputStream {
        private final InputStream in;

        Uncloseable(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            return in.read();
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            return in.read(into, from, length);
        }
    }
}
