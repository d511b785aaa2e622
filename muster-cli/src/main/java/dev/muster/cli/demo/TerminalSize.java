package dev.muster.cli.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The size of a terminal, in characters. */
record TerminalSize(int rows, int columns) {
    /** For output that is not limited. */
    static final TerminalSize UNLIMITED = new TerminalSize(Integer.MAX_VALUE, Integer.MAX_VALUE);

    private static final TerminalSize USUAL = new TerminalSize(24, 80);

    /** The present size of this process's terminal; the usual one if unknown. */
    static TerminalSize now() {
        try {
            Process stty = new ProcessBuilder("sh", "-c", "stty size < /dev/tty")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String out = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return parse(out.strip());
        } catch (IOException e) {
            return USUAL;
        }
    }

    /** Parses the output of {@code stty size}: rows and columns. */
    static TerminalSize parse(String size) {
        if (!size.matches("[0-9]{1,5} [0-9]{1,5}")) {
            return USUAL;
        }
        int blank = size.indexOf(' ');
        int rows = Integer.parseInt(size.substring(0, blank));
        int columns = Integer.parseInt(size.substring(blank + 1));
        // Terminals without a size report 0.
        return rows < 4 || columns < 20 ? USUAL : new TerminalSize(rows, columns);
    }
}
