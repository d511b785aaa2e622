package dev.muster.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Writes the hash of each seed's trace, one line each, to the file of {@code -Dmuster.traces=}, if it is set. */
final class TraceFile {
    private final String file;
    private final Map<Long, Long> hashes = new TreeMap<>();

    private TraceFile(String file) {
        this.file = file;
    }

    static TraceFile asked() {
        return new TraceFile(System.getProperty("muster.traces"));
    }

    void keep(long seed, long hash) {
        hashes.put(seed, hash);
    }

    void write() {
        if (file == null) {
            return;
        }
        try {
            Files.write(
                    Path.of(file),
                    hashes.entrySet().stream()
                            .map(entry -> entry.getKey() + " " + Long.toHexString(entry.getValue()))
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
