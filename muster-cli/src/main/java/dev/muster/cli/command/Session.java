package dev.muster.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.function.UnaryOperator;

/**
 * The streams and the environment of one run of the command. Commands touch the outside world only through it.
 *
 * @param out data, and nothing but data
 * @param err notes, progress and errors
 * @param environment the value of an environment variable, or null
 * @param terminal the streams that are terminals
 * @param opener opens a data directory
 * @param stop asks the command to end early
 * @param inherits true if in, out and err are those of this process, so that a child process can have them
 */
public record Session(
        InputStream in,
        OutputStream out,
        OutputStream err,
        UnaryOperator<String> environment,
        Terminal terminal,
        Opener opener,
        StopSignal stop,
        Clock clock,
        boolean inherits) {

    /** These streams, no terminal, real directories: the session of a script. */
    public static Session of(InputStream in, OutputStream out, OutputStream err) {
        return new Session(
                in,
                out,
                err,
                System::getenv,
                Terminal.NONE,
                Opener.DIRECTORY,
                new StopSignal(),
                Clock.systemDefaultZone(),
                false);
    }

    /** Writes data to stdout at once. */
    public void print(String text) {
        try {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            throw new OutputClosedException(e);
        }
    }

    /** Writes a line to stderr. Failures are ignored. */
    public void note(String line) {
        try {
            err.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            err.flush();
        } catch (IOException e) {
            // stderr is closed; the exit code still tells the result.
        }
    }
}
