package dev.muster.cli.consume;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The number of bytes in the pipe to a child's stdin that are written and not yet read. Linux tells it through
 * {@code /proc}. On other systems, or without permission, it is unknown.
 */
final class PipeFill {
    private final Path stdin;
    /** The pipe, for instance {@code pipe:[4711]}; null if unknown. */
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

    /** True if the kernel can be asked. */
    boolean isKnown() {
        return pipe != null;
    }

    /** Empty if unknown at the moment: the child is gone, or closed its stdin. */
    OptionalLong unread() {
        // Opened for a moment only: while this process holds the reading end too, the death of the child would not
        // break the pipe.
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
