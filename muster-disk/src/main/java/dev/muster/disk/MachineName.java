package dev.muster.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of this machine, for people. No name server is asked, because it may be slow. */
public final class MachineName {
    private static final Path FILE = Path.of("/proc/sys/kernel/hostname");
    private static final String NAME = find();

    private MachineName() {}

    /** The name; empty if the system does not report it. */
    public static String read() {
        return NAME;
    }

    private static String find() {
        try {
            return Files.readString(FILE).strip();
        } catch (IOException e) {
            // No such file outside Linux.
            String name = System.getenv("HOSTNAME");
            return name == null ? "" : name;
        }
    }
}
