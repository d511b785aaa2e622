package dev.muster.cli.command;

import dev.muster.cli.text.Lines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Supplier;

/** A person's yes before something is gone for good. Where there is no person, the command must have said it. */
public final class Confirmation {
    private final RootCommand root;
    private final boolean given;

    private Confirmation(RootCommand root, boolean given) {
        this.root = root;
        this.given = given;
    }

    /** @param given whether the command line says yes already */
    public static Confirmation of(RootCommand root, boolean given) {
        return new Confirmation(root, given);
    }

    /**
     * @param what is about to happen, as the subject of a sentence
     * @param question ends with a question mark
     * @param command that does it without asking
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
