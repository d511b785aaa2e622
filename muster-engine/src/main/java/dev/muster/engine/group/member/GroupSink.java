package dev.muster.engine.group.member;

import dev.muster.engine.read.RecordSink;

/** Takes records that are handed out to a member. */
public interface GroupSink extends RecordSink {
    /** What came since the poll began must not be handed out: it is no longer certain that it is ours. */
    void withdraw();
}
