package dev.muster.bench.peer;

import java.io.IOException;
import java.nio.file.Path;

/** A queue in a directory, as far as the comparison needs it. One object serves one turn. */
public interface Peer {
    /** Makes the empty queue, so that several processes can then open it without a race. */
    default void prepare(Path directory, Mode mode) throws IOException {}

    Sink sink(Path directory, Mode mode) throws IOException;

    /** @param recordBytes the size of every record: a file without framing has no other way to know */
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
