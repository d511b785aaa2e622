package dev.muster.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Which of the standard streams lead to a terminal. */
public record Terminal(boolean in, boolean out, boolean err) {
    public static final Terminal NONE = new Terminal(false, false, false);

    /**
     * Inspects the descriptors of this process. Java can only tell whether stdin and stdout are <em>both</em>
     * terminals. Linux tells it for each, and faster than a native call at start-up would.
     */
    public static Terminal detect() {
        if (Files.isSymbolicLink(Path.of("/proc/self/fd/2"))) {
            return new Terminal(leadsToTerminal(0), leadsToTerminal(1), leadsToTerminal(2));
        }
        boolean both = System.console().isTerminal();
        return new Terminal(both, both, both);
    }

    private static boolean leadsToTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }
}
