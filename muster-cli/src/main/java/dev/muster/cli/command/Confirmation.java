package dev.muster.cli.command;

import dev.muster.cli.text.Lines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Supplier;

/** Asks before data are deleted irrevocably. Without a terminal, an option must say yes. */
public final class Confirmation {
    private final RootCommand root;
    private final boolean given;

    private Confirmation(RootCommand root, boolean given) {
        this.root = root;
        this.given = given;
    }

    /** @param given true if the command line says yes already */
    public static Confirmation of(RootCommand root, boolean given) {
        return new Confirmation(root, given);
    }

    /**
     * Asks, and throws if the answer is not yes.
     *
     * @param what the action, as the subject of a sentence
     * @param question ends with a question mark
     * @param command the command that does it without asking
     */
    public void orRefuse(String what, Supplier<String> question, String command) throws IOException {
        if (given) {
            return;
        }
        if (!root.mayAsk()) {
            throw new CommandException(
                    ExitCode.REFUSED, what + " needs a yes, and there is no terminal to ask at", command);
        }
        if (!answeredYes(root.session(), question.get() + " [y/N] ")) {
            throw new CommandException(ExitCode.REFUSED, what + " was not confirmed", null);
        }
    }

    private static boolean answeredYes(Session session, String question) throws IOException {
        session.err().write(question.getBytes(StandardCharsets.UTF_8));
        session.err().flush();
        Lines lines = new Lines(session.in(), 1 << 10);
        if (!lines.next()) {
            return false;
        }
        String answer = new String(lines.buffer(), lines.from(), lines.to() - lines.from(), StandardCharsets.UTF_8);
        return answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
    }
}
