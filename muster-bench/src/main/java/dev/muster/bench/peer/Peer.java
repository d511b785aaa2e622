package dev.muster.bench.peer;

import java.io.IOException;
import java.nio.file.Path;

/** The part of a queue in a directory that the comparison needs. One object serves one turn. */
public interface Peer {
    /** Creates the empty queue, so that several processes can then open it without a race. */
    default void prepare(Path directory, Mode mode) throws IOException {}

    Sink sink(Path directory, Mode mode) throws IOException;

    /** @param recordBytes the size of every record, for files without framing */
    Source source(Path directory, int recordBytes) throws IOException;

    static Peer named(String name) {
        return switch (name) {
            case "raw" -> new RawPeer();
            case "chronicle" -> new ChroniclePeer();
            case "muster" -> new MusterPeer();
            default -> throw new IllegalArgumentException("no peer named " + name);
        };
    }
}
