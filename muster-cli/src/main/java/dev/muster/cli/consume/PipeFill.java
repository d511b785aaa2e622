package dev.muster.cli.consume;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * How many bytes lie in the pipe to a child's stdin, written and not read yet. The kernel knows; Linux lets us ask
 * through {@code /proc}. Elsewhere, or when the child may not be looked at, nothing is known.
 */
final class PipeFill {
    private final Path stdin;
    /** Which pipe it is, for instance {@code pipe:[4711]}; null when we cannot look. */
    private final Path pipe;

    private PipeFill(Path stdin, Path pipe) {
        this.stdin = stdin;
        this.pipe = pipe;
    }

    static PipeFill of(long pid) {
        Path stdin = Path.of("/proc", Long.toString(pid), "fd", "0");
        PipeFill looking = new PipeFill(stdin, target(stdin));
        return looking.unread().isPresent() ? looking : new PipeFill(stdin, null);
    }

    /** Whether the kernel can be asked at all. */
    boolean isKnown() {
        return pipe != null;
    }

    /** Empty when nothing is known now: the child is gone, or gave its stdin away. */
    OptionalLong unread() {
        // Opened for a moment only: while we hold the reading end too, a dead child would not break the pipe.
        if (pipe == null || !pipe.equals(target(stdin))) {
            return OptionalLong.empty();
        }
        try (FileInputStream in = new FileInputStream(stdin.toFile())) {
            return OptionalLong.of(in.available());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    private static Path target(Path link) {
        try {
            return Files.readSymbolicLink(link);
        } catch (IOException e) {
            return null;
        }
    }
}
