package dev.muster.testkit.unpleasant;

import dev.muster.core.TopicPartition;
import dev.muster.store.NotOwnerException;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import dev.muster.testkit.forward.ForwardingLog;
import dev.muster.testkit.forward.ForwardingReader;
import java.util.concurrent.locks.ReentrantLock;

/** A partition of an {@link UnpleasantStore}. Its end is known late, and one appender at a time may append to it. */
final class UnpleasantLog extends ForwardingLog {
    private final UnpleasantStore store;
    private final StaleValue end;
    /** The last appender of this process, whose late appends settle when the next one is opened. */
    private UnpleasantAppender last;

    private UnpleasantAppender before;

    private final ReentrantLock opening = new ReentrantLock();

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
    public PartitionAppender appender() {
        opening.lock();
        try {
            return open();
        } finally {
            opening.unlock();
        }
    }

    /** The mistake of a batch that gets its place after another appender was opened. */
    void landLate() {
        if (before != null) {
            before.land();
            before = null;
        }
    }

    private PartitionAppender open() {
        store.reach("open " + name());
        UnpleasantAppender holder = store.writers().holder(topic().id(), partition());
        boolean isOthers = holder != null && holder.isHeld() && holder.store() != store;
        if (isOthers && store.trouble().oneIn(2) && store.trouble().fails()) {
            throw new NotOwnerException(name(), holder.store().process());
        }
        if (last != null && !store.trouble().makes(StoreMistake.LATE_BATCH_AFTER_OPENING)) {
            last.settle();
        }
        before = last;
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
        long known = end.read();
        return store.trouble().makes(StoreMistake.END_FALLS)
                        && known > 0
                        && store.trouble().oneIn(3)
                ? known - 1
                : known;
    }

    @Override
    public void awaitDurable(long endOffset) {
        super.awaitDurable(endOffset);
        end.confirm(endOffset);
    }

    @Override
    public long refresh() {
        store.reach("ask for the end of " + name());
        return store.trouble().makes(StoreMistake.REFRESH_IS_STALE) ? end.read() : end.fresh();
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
