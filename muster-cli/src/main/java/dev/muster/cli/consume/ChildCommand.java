package dev.muster.cli.consume;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Session;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The command after {@code --}. Its output goes where ours goes. */
final class ChildCommand {
    private final Session session;
    private final List<String> words;

    ChildCommand(Session session, List<String> words) {
        this.session = session;
        this.words = List.copyOf(words);
    }

    /** The command as the user wrote it, for messages. */
    String name() {
        return words.getFirst();
    }

    /** @param environment added to the environment of this process */
    Child start(Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().putAll(environment);
        if (session.inherits()) {
            builder.redirectOutput(ProcessBuilder.Redirect.INHERIT).redirectError(ProcessBuilder.Redirect.INHERIT);
        }
        try {
            Process process = builder.start();
            List<Thread> copies = new ArrayList<>();
            if (!session.inherits()) {
                copies.add(copying(process.getInputStream(), session.out()));
                copies.add(copying(process.getErrorStream(), session.err()));
            }
            return new Child(process, copies);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.NOT_FOUND, "cannot start " + name() + ": " + reason(e), "name a program after --", e);
        }
    }

    /** The cause, without the program and the number that Java's message repeats. */
    private static String reason(IOException e) {
        String message = String.valueOf(e.getMessage()).strip();
        int open = message.lastIndexOf('(');
        return open < 0 || !message.endsWith(")") ? message : message.substring(open + 1, message.length() - 1);
    }

    private static Thread copying(InputStream from, OutputStream to) {
        return Thread.ofVirtual().name("muster-child-output").start(() -> {
            try {
                from.transferTo(to);
                to.flush();
            } catch (IOException e) {
                // Our stdout is closed; the child notices at its next write.
            }
        });
    }

    /** A running child. */
    record Child(Process process, List<Thread> copies) {
        /**
         * Waits until the child has ended and its output is copied.
         *
         * @return its exit code
         */
        int await() {
            try {
                int exit = process.waitFor();
                for (Thread copy : copies) {
                    copy.join();
                }
                return exit;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CommandException(ExitCode.INTERRUPTED, "interrupted", null);
            }
        }

        /** Asks the child to end, then kills it. */
        void destroy() {
            process.destroy();
            try {
                if (!process.waitFor(1, java.util.concurrent.TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
