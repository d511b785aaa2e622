package dev.muster.testkit.unpleasant;

import dev.muster.core.TopicPartition;
import dev.muster.store.NotOwnerException;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import dev.muster.testkit.forward.ForwardingLog;
import dev.muster.testkit.forward.ForwardingReader;

/** A partition of an {@link UnpleasantStore}. Its end is known late, and one appender at a time may append to it. */
final class UnpleasantLog extends ForwardingLog {
    private final UnpleasantStore store;
    private final StaleValue end;
    /** The last appender of this process, whose late appends settle when the next one is opened. */
    private UnpleasantAppender last;

    UnpleasantLog(UnpleasantStore store, PartitionLog target) {
        super(target);
        this.store = store;
        this.end = new StaleValue(store, target::endOffset);
    }

    UnpleasantStore store() {
        return store;
    }

    String name() {
        return new TopicPartition(topic().name(), partition()).toString();
    }

    @Override
    protected PartitionLog target() {
        return super.target();
    }

    @Override
    public synchronized PartitionAppender appender() {
        store.reach("open " + name());
        UnpleasantAppender holder = store.writers().holder(topic().id(), partition());
        boolean isOthers = holder != null && holder.isHeld() && holder.store() != store;
        if (isOthers && store.trouble().oneIn(2) && store.trouble().fails()) {
            throw new NotOwnerException(name(), holder.store().process());
        }
        if (last != null) {
            last.settle();
        }
        last = new UnpleasantAppender(this, super.appender());
        UnpleasantAppender former = store.writers().take(topic().id(), partition(), last);
        if (former != null) {
            former.lose();
            store.trouble().countTakeover();
        }
        return last;
    }

    @Override
    public long endOffset() {
        return end.read();
    }

    @Override
    public void awaitDurable(long endOffset) {
        super.awaitDurable(endOffset);
        end.confirm(endOffset);
    }

    @Override
    public long refresh() {
        store.reach("ask for the end of " + name());
        return end.fresh();
    }

    @Override
    public long settle() {
        store.reach("settle " + name());
        super.settle();
        return end.fresh();
    }

    @Override
    public LogReader reader(long offset) {
        return new ForwardingReader(super.reader(offset)) {
            @Override
            public LogSlice read(int bytesMax) {
                store.reach("read " + name());
                LogSlice slice = super.read(bytesMax);
                end.confirm(slice.nextOffset());
                return slice;
            }
        };
    }
}
