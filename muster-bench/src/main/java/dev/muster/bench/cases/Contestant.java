package dev.muster.bench.cases;

import dev.muster.bench.peer.Mode;

/** A peer with a mode. */
record Contestant(String label, String peer, Mode mode) {
    static final Contestant RAW_STREAM = new Contestant("raw file, 64 KiB writes", "raw", Mode.STREAM);
    static final Contestant RAW_EACH = new Contestant("raw file, a write each", "raw", Mode.EACH);
    static final Contestant CHRONICLE = new Contestant("Chronicle Queue", "chronicle", Mode.EACH);
    static final Contestant MUSTER = new Contestant("Muster", "muster", Mode.STREAM);
    static final Contestant MUSTER_EACH = new Contestant("Muster, a batch each", "muster", Mode.EACH);
}
