package dev.muster.testkit.forward;

import dev.muster.core.Topic;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.read.LogReader;
import dev.muster.store.watch.Registration;
import java.util.Optional;

/** A partition log that passes every call on to another log. */
public class ForwardingLog implements PartitionLog {
    private final PartitionLog target;

    public ForwardingLog(PartitionLog target) {
        this.target = target;
    }

    protected PartitionLog target() {
        return target;
    }

    @Override
    public Topic topic() {
        return target.topic();
    }

    @Override
    public int partition() {
        return target.partition();
    }

    @Override
    public PartitionAppender appender() {
        return target.appender();
    }

    @Override
    public void awaitDurable(long endOffset) {
        target.awaitDurable(endOffset);
    }

    @Override
    public long settle() {
        return target.settle();
    }

    @Override
    public boolean isReplaced() {
        return target.isReplaced();
    }

    @Override
    public long startOffset() {
        return target.startOffset();
    }

    @Override
    public long endOffset() {
        return target.endOffset();
    }

    @Override
    public long refresh() {
        return target.refresh();
    }

    @Override
    public int leaderEpoch() {
        return target.leaderEpoch();
    }

    @Override
    public long endOfEpoch(int epoch) {
        return target.endOfEpoch(epoch);
    }

    @Override
    public Optional<byte[]> note(String name) {
        return target.note(name);
    }

    @Override
    public void keepNote(String name, byte[] content) {
        target.keepNote(name, content);
    }

    @Override
    public LogReader reader(long offset) {
        return target.reader(offset);
    }

    @Override
    public Optional<OffsetAndTimestamp> firstAtOrAfter(long timestamp) {
        return target.firstAtOrAfter(timestamp);
    }

    @Override
    public void trim(long newStartOffset) {
        target.trim(newStartOffset);
    }

    @Override
    public long sizeBytes() {
        return target.sizeBytes();
    }

    @Override
    public Registration onAppend(Runnable wake) {
        return target.onAppend(wake);
    }
}
