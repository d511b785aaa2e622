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

/** The command that stands behind {@code --}. What it prints goes where our output goes. */
final class ChildCommand {
    private final Session session;
    private final List<String> words;

    ChildCommand(Session session, List<String> words) {
        this.session = session;
        this.words = List.copyOf(words);
    }

    /** As the user wrote it, for messages. */
    String name() {
        return words.getFirst();
    }

    /** @param environment added to ours */
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
                    ExitCode.NOT_FOUND, "cannot start " + name() + ": " + reason(e), "name a program behind --", e);
        }
    }

    /** Java's message names the program again, and a number. */
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
                // Nobody reads any more; the child's next write will tell it.
            }
        });
    }

    /** A running child. */
    record Child(Process process, List<Thread> copies) {
        /** Waits for its end and for what it printed, and gives its exit code. */
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

        /** Asks it to end, then makes it end. */
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
