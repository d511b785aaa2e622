package dev.muster.cli.command;

/**
 * Shows a text that changes: on a terminal each text replaces the previous one, elsewhere the texts follow each other.
 * For one thread.
 */
public final class LiveText {
    private final Session session;
    private final boolean inPlace;
    private int linesShown;

    public LiveText(Session session) {
        this.session = session;
        this.inPlace =
                session.terminal().out() && !"dumb".equals(session.environment().apply("TERM"));
    }

    /** True if each text replaces the previous one. */
    public boolean inPlace() {
        return inPlace;
    }

    /** @param text ends with a newline */
    public void show(String text) {
        String up = inPlace && linesShown > 0 ? "\u001b[" + linesShown + "A\r\u001b[J" : "";
        session.print(up + text);
        linesShown = (int) text.chars().filter(c -> c == '\n').count();
    }
}
