package dev.muster.store.file.group;

import dev.muster.core.CompressionKind;
import dev.muster.core.group.model.GroupName;
import dev.muster.store.LogReplacedException;
import dev.muster.store.SyncFailedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.file.log.LogEnvironment;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupViews;
import dev.muster.store.group.Hosts;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import dev.muster.store.watch.Registration;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The journal of a group in a directory: a partition log of lines. Versions are its offsets. A line is a batch of one
 * record, appended under the condition that its offset is the next one. So the partition log also protects journals
 * from torn writes, stopped writers and power cuts.
 */
final class FileGroupJournal implements GroupJournal, AutoCloseable {
    private static final int READ_BYTES = 256 << 10;
    private static final int LINE_OVERHEAD = 256;

    private final GroupHandle handle;
    private final FilePartition log;
    private final ViewFiles views;
    private final LogEnvironment env;
    private final Hosts hosts;
    private final long writerId;
    private final Runnable registered;
    private final AtomicInteger attempts = new AtomicInteger();
    /** The highest end of the journal that was returned to a caller. */
    private final AtomicLong newestEnd = new AtomicLong();
    // A read mostly continues where the last one ended, and then needs neither a search nor another open file.
    private final ReentrantLock readLock = new ReentrantLock();
    private LogReader reader;
    /** Held while a view is written. */
    private final ReentrantLock viewLock = new ReentrantLock();
    /** True once the journal is closed: no further view is written. */
    private volatile boolean closed;

    /**
     * @param writerId the positive number that is in every line, so that no two processes ever write the same bytes
     * @param registered the check that throws if other processes cannot see this one, and would expel its members
     */
    FileGroupJournal(
            GroupHandle handle,
            FilePartition log,
            ViewFiles views,
            LogEnvironment env,
            Hosts hosts,
            long writerId,
            Runnable registered) {
        this.handle = handle;
        this.log = log;
        this.views = views;
        this.env = env;
        this.hosts = hosts;
        this.writerId = writerId;
        this.registered = registered;
    }

    @Override
    public GroupName group() {
        return handle.group().name();
    }

    @Override
    public boolean append(long version, String line) {
        registered.run();
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        BatchBuilder builder = new BatchBuilder(new byte[bytes.length + LINE_OVERHEAD], CompressionKind.NONE);
        boolean fits = builder.tryAppend(env.clock().millis(), null, bytes, List.of());
        assert fits : "the first record of a batch has room";
        EncodedBatch batch = builder.finish(writerId, (short) 0, attempts.getAndIncrement() & Integer.MAX_VALUE);
        return translated(() -> appendAt(version, batch));
    }

    private boolean appendAt(long version, EncodedBatch batch) {
        try {
            return log.appendAt(version, batch);
        } catch (IllegalArgumentException e) {
            if (version > newestEnd.get()) {
                throw e;
            }
            // The caller knows lines that are not in the file any more, so it does not know the state of the group.
            throw log.lostItsEnd(e);
        }
    }

    @Override
    public void awaitDurable(long endVersion) {
        translated(() -> {
            log.awaitDurable(endVersion);
            if (log.hasLost(log.startOffset(), endVersion)) {
                throw new SyncFailedException("the journal of group " + group(), null);
            }
            return null;
        });
    }

    @Override
    public long endVersion() {
        return translated(() -> {
            checkInUse();
            long end = log.endOffset();
            if (end > newestEnd.get()) {
                newestEnd.accumulateAndGet(end, Math::max);
            }
            return end;
        });
    }

    private void checkInUse() {
        handle.checkNotDeleted();
        log.checkNotReplaced();
    }

    @Override
    public long startVersion() {
        return translated(() -> {
            checkInUse();
            return log.startOffset();
        });
    }

    @Override
    public List<Line> read(long version) {
        return translated(() -> {
            readLock.lock();
            try {
                return readFrom(version);
            } finally {
                readLock.unlock();
            }
        });
    }

    private List<Line> readFrom(long version) {
        if (reader == null) {
            reader = log.reader(version);
        }
        reader.seek(version);
        LogSlice slice = reader.read(READ_BYTES);
        List<Line> lines = new ArrayList<>();
        if (!slice.isEmpty()) {
            BatchDecoder records = BatchDecoder.over(slice.bytes());
            while (records.next()) {
                if (records.offset() >= version) {
                    lines.add(new Line(records.offset(), new String(records.value(), StandardCharsets.UTF_8)));
                }
            }
        }
        return lines;
    }

    @Override
    public void trim(long version) {
        translated(() -> {
            if (version > log.startOffset()) {
                // The snapshot there must not be lost after the lines that it replaces are deleted.
                log.awaitDurable(Math.min(version + 1, log.endOffset()));
                log.forgetBelow(version);
            }
            return null;
        });
    }

    @Override
    public Registration onAppend(Runnable wake) {
        return log.onAppend(wake);
    }

    @Override
    public void beginFile() {
        translated(() -> {
            log.roll();
            return null;
        });
    }

    @Override
    public void reportDamage() {
        if (handle.countDamageReport()) {
            log.wakeAll();
        }
    }

    @Override
    public boolean mayBeHealed() {
        return !env.readOnly() && !hosts.alone();
    }

    @Override
    public long damageReports() {
        return handle.damageReports();
    }

    @Override
    public Optional<GroupViews> views() {
        return Optional.of(new JournalViews());
    }

    /** The views of this journal. They are not written any more once it is closed, deleted or replaced. */
    private final class JournalViews implements GroupViews {
        @Override
        public List<View> read(String folder) {
            return views.read(folder);
        }

        @Override
        public void publish(List<View> files) {
            for (View view : files) {
                viewLock.lock();
                try {
                    if (!mayWrite()) {
                        return;
                    }
                    views.write(view, log.endOffset());
                } finally {
                    viewLock.unlock();
                }
            }
        }

        @Override
        public boolean extend(String path, UnaryOperator<String> more) {
            viewLock.lock();
            try {
                return !mayWrite() || views.extend(path, more);
            } finally {
                viewLock.unlock();
            }
        }

        private boolean mayWrite() {
            return !closed && isInUse() && !env.readOnly();
        }
    }

    /** True unless the group was deleted, or its files were removed or replaced. */
    boolean isInUse() {
        return !handle.isDeleted() && !log.hasLostFiles();
    }

    GroupHandle handle() {
        return handle;
    }

    FilePartition log() {
        return log;
    }

    private <T> T translated(Supplier<T> call) {
        try {
            return call.get();
        } catch (TopicDeletedException e) {
            throw new GroupDeletedException(group().value());
        } catch (LogReplacedException e) {
            // Members that continue with the state of the old files would share partitions with members of the new
            // ones.
            throw new GroupDeletedException(group().value(), e);
        }
    }

    @Override
    public void close() {
        closed = true;
        // The caller may remove the directory next, so a write in progress must end before.
        viewLock.lock();
        try {
            log.close();
        } finally {
            viewLock.unlock();
        }
        readLock.lock();
        try {
            if (reader != null) {
                reader.close();
                reader = null;
            }
        } finally {
            readLock.unlock();
        }
    }
}
