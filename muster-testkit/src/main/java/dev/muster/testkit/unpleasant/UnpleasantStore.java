package dev.muster.testkit.unpleasant;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.StoreUnavailableException;
import dev.muster.store.UnsupportedSettingException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupStore;
import dev.muster.store.group.Hosts;
import dev.muster.store.group.Lease;
import dev.muster.testkit.forward.ForwardingGroups;
import dev.muster.testkit.forward.ForwardingHosts;
import dev.muster.testkit.forward.ForwardingStore;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A store of one process that keeps its data in another store, and keeps the contract as badly as it may:
 *
 * <ul>
 *   <li>Reads of memory miss what other processes did since the last renewal.
 *   <li>Calls fail because the store cannot be reached.
 *   <li>Appends fail with an unknown outcome: the batch is there, or not, or comes later.
 *   <li>One appender holds a partition. Another process takes it away, or is refused.
 *   <li>Batches take more offsets than they have records.
 *   <li>Lines are short, and there are no views. A setting of files is refused.
 *   <li>Leases are short.
 * </ul>
 */
public final class UnpleasantStore extends ForwardingStore {
    /** The longest line, in bytes. A snapshot may be longer. */
    public static final int LINE_BYTES_MAX = 16 << 10;

    private static final Lease LEASE = new Lease(Duration.ofSeconds(2));

    private final Trouble trouble;
    private final Writers writers;
    private final String process;
    private final UnpleasantGroups groups;
    private final Map<PartitionLog, UnpleasantLog> logs = new ConcurrentHashMap<>();
    /** The number of successful renewals. Values that were read before the last one may not be used any more. */
    private final AtomicLong renewals = new AtomicLong();

    private final AtomicLong seenTopics = new AtomicLong();
    private volatile long seenTopicsAt = -1;

    /**
     * @param target the store that has the data
     * @param writers the holders of the right to append, shared by the stores of all processes
     * @param process the name of the process
     */
    public UnpleasantStore(LogStore target, Trouble trouble, Writers writers, String process) {
        super(target);
        this.trouble = trouble;
        this.writers = writers;
        this.process = process;
        this.groups = new UnpleasantGroups(target.groups());
    }

    Trouble trouble() {
        return trouble;
    }

    Writers writers() {
        return writers;
    }

    String process() {
        return process;
    }

    long renewals() {
        return renewals.get();
    }

    void reach(String what) {
        if (trouble.fails()) {
            throw new StoreUnavailableException(what, null);
        }
    }

    @Override
    public void checkSettings(TopicSettings settings) {
        if (settings.segmentBytes() != TopicSettings.DEFAULT.segmentBytes()) {
            throw new UnsupportedSettingException("segment.bytes", "records are not kept in segments");
        }
        super.checkSettings(settings);
    }

    @Override
    public Topic create(TopicName name, int partitions, TopicSettings settings) {
        if (!trouble.makes(StoreMistake.SETTING_ACCEPTED)) {
            checkSettings(settings);
        }
        reach("create a topic");
        return super.create(name, partitions, settings);
    }

    @Override
    public Topic alter(TopicName name, TopicSettings settings) {
        checkSettings(settings);
        reach("alter a topic");
        return super.alter(name, settings);
    }

    @Override
    public Optional<Topic> find(TopicName name) {
        reach("find a topic");
        return super.find(name);
    }

    @Override
    public PartitionLog log(TopicId topic, int partition) {
        reach("open a partition");
        return logs.computeIfAbsent(super.log(topic, partition), log -> new UnpleasantLog(this, log));
    }

    @Override
    public long topicsVersion() {
        long now = super.topicsVersion();
        if (seenTopicsAt != renewals.get() || !trouble.isStale()) {
            seenTopicsAt = renewals.get();
            seenTopics.accumulateAndGet(now, Math::max);
        }
        return seenTopics.get();
    }

    @Override
    public GroupStore groups() {
        return groups;
    }

    private final class UnpleasantGroups extends ForwardingGroups<UnpleasantJournal> {
        private final GroupStore target;

        UnpleasantGroups(GroupStore target) {
            super(target);
            this.target = target;
        }

        @Override
        protected UnpleasantJournal wrap(GroupJournal journal) {
            return new UnpleasantJournal(UnpleasantStore.this, journal);
        }

        @Override
        public Hosts hosts() {
            return new UnpleasantHosts(target.hosts());
        }
    }

    private final class UnpleasantHosts extends ForwardingHosts {
        UnpleasantHosts(Hosts target) {
            super(target);
        }

        @Override
        public Lease renew() {
            reach("renew the lease");
            super.renew();
            if (!trouble.makes(StoreMistake.RENEWAL_CONFIRMS_NOTHING)) {
                renewals.incrementAndGet();
            }
            return LEASE;
        }
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(process);
    }
}
