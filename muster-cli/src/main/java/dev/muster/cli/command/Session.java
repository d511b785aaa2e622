package dev.muster.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.function.UnaryOperator;

/**
 * Everything one run of the command has from outside. Commands may touch the world only through this.
 *
 * @param out data, and nothing but data
 * @param err notes, progress and errors
 * @param environment the value of an environment variable, or null
 * @param terminal which of the three streams a person sits at
 * @param opener how a data directory becomes an open Muster
 * @param stop asks the command to end early
 * @param inherits whether in, out and err are this process's own, so that a child process can have them
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

    /** The streams given, no terminal, real directories: what a script sees. */
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

    /** Data for stdout, whole and at once. */
    public void print(String text) {
        try {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            throw new OutputClosedException(e);
        }
    }

    /** A line for stderr. When nobody listens there is nobody to tell: failures are ignored. */
    public void note(String line) {
        try {
            err.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            err.flush();
        } catch (IOException e) {
            // stderr is closed; the exit code still speaks.
        }
    }
}
