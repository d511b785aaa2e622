package dev.muster.engine.group;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.engine.group.replica.FaultyJournal;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.StoreIoException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupStore;
import dev.muster.store.group.Hosts;
import dev.muster.store.watch.Registration;
import dev.muster.testkit.forward.ForwardingGroups;
import dev.muster.testkit.forward.ForwardingHosts;
import dev.muster.testkit.forward.ForwardingStore;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** A store whose groups and topics fail as a test says. For one thread. */
public final class FaultyStore extends ForwardingStore {
    private final FaultyGroups groups;

    /** The number of calls that looked for topics. */
    public int looksForTopics;

    /** The version of the topics that is returned in place of the true one. */
    public OptionalLong topicsVersion = OptionalLong.empty();

    /** True if no partition can be found, as for a moment while partitions are created. */
    public boolean noPartitions;

    /** True if the renewals of other processes cannot be seen. */
    public boolean blind;

    /** True if other processes cannot be watched. */
    public boolean unwatchable;

    public FaultyStore(LogStore target) {
        super(target);
        this.groups = new FaultyGroups(target.groups());
    }

    public FaultyJournal journal(GroupName group) {
        return groups.journal(group);
    }

    private final class FaultyGroups extends ForwardingGroups<FaultyJournal> {
        private final GroupStore target;

        FaultyGroups(GroupStore target) {
            super(target);
            this.target = target;
        }

        @Override
        protected FaultyJournal wrap(GroupJournal journal) {
            return new FaultyJournal(journal);
        }

        @Override
        public Hosts hosts() {
            return new FaultyHosts(target.hosts());
        }
    }

    private final class FaultyHosts extends ForwardingHosts {
        FaultyHosts(Hosts target) {
            super(target);
        }

        @Override
        public OptionalLong renewals(HostId host) {
            return blind ? OptionalLong.empty() : super.renewals(host);
        }

        @Override
        public Registration watch(HostId host, Consumer<HostId> listener) {
            if (unwatchable) {
                throw new StoreIoException("too many open files", null);
            }
            return super.watch(host, listener);
        }
    }

    @Override
    public Optional<Topic> find(TopicName name) {
        looksForTopics++;
        return super.find(name);
    }

    @Override
    public List<Topic> list() {
        looksForTopics++;
        return super.list();
    }

    @Override
    public PartitionLog log(TopicId topic, int partition) {
        if (noPartitions) {
            throw new TopicNotFoundException("partition " + partition);
        }
        return super.log(topic, partition);
    }

    @Override
    public long topicsVersion() {
        return topicsVersion.orElseGet(super::topicsVersion);
    }

    @Override
    public GroupStore groups() {
        return groups;
    }
}
