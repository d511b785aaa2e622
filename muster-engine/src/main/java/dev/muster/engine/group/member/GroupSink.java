package dev.muster.engine.group.member;

import dev.muster.engine.read.RecordSink;

/** Takes records that are handed out to a member. */
public interface GroupSink extends RecordSink {
    /** Drops the records of this poll: the member may no longer own their partitions. */
    void withdraw();
}
