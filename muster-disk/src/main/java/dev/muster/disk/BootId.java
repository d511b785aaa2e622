package dev.muster.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;

/** The boot id, which differs from one boot of the machine to the next. Containers on one kernel share it. */
public final class BootId {
    private static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");

    private BootId() {}

    public static UUID read() {
        try {
            return UUID.fromString(Files.readString(FILE).strip());
        } catch (IOException | IllegalArgumentException e) {
            // No such file outside Linux: the start of process 1 changes with every boot.
            long boot = ProcessHandle.of(1)
                    .flatMap(first -> first.info().startInstant())
                    .map(Instant::toEpochMilli)
                    .orElse(0L);
            return UUID.nameUUIDFromBytes(("boot " + boot).getBytes(StandardCharsets.UTF_8));
        }
    }
}
