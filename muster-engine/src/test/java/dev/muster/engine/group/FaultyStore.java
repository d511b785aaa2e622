package dev.muster.engine.group;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Consumer;

/** A store whose groups fail on request of a test. For one thread. */
public final class FaultyStore implements LogStore {
    private final LogStore real;
    private final FaultyGroups groups;

    /** The number of topic lookups. */
    public int looksForTopics;

    /** A wrong version of the topics to report; empty for the right one. */
    public OptionalLong topicsVersion = OptionalLong.empty();

    /** True if no partition is found, as for a moment while partitions are created. */
    public boolean noPartitions;

    /** True if the signs of life of other processes cannot be read. */
    public boolean blind;

    /** True if other processes cannot be watched. */
    public boolean unwatchable;

    public FaultyStore(LogStore real) {
        this.real = real;
        this.groups = new FaultyGroups(real.groups());
    }

    public FaultyJournal journal(GroupName group) {
        return groups.journals.get(group);
    }

    private final class FaultyGroups implements GroupStore {
        private final GroupStore there;
        private final Map<GroupName, FaultyJournal> journals = new HashMap<>();

        FaultyGroups(GroupStore there) {
            this.there = there;
        }

        private GroupJournal wrapped(GroupJournal journal) {
            return journals.compute(
                    journal.group(),
                    (_, known) -> known != null && known.real() == journal ? known : new FaultyJournal(journal));
        }

        @Override
        public List<GroupName> list() {
            return there.list();
        }

        @Override
        public Optional<GroupJournal> find(GroupName group) {
            return there.find(group).map(this::wrapped);
        }

        @Override
        public GroupJournal open(GroupName group) {
            return wrapped(there.open(group));
        }

        @Override
        public void delete(GroupJournal journal) {
            there.delete(((FaultyJournal) journal).real());
        }

        @Override
        public void remove(GroupName group) {
            there.remove(group);
        }

        @Override
        public Hosts hosts() {
            return new FaultyHosts(there.hosts());
        }

        @Override
        public long topicsVersion() {
            return topicsVersion.orElseGet(there::topicsVersion);
        }

        @Override
        public AutoCloseable onTopicsChange(Runnable wake) {
            return there.onTopicsChange(wake);
        }
    }

    private final class FaultyHosts implements Hosts {
        private final Hosts there;

        FaultyHosts(Hosts there) {
            this.there = there;
        }

        @Override
        public HostId self() {
            return there.self();
        }

        @Override
        public void beat() {
            there.beat();
        }

        @Override
        public OptionalLong beats(HostId host) {
            return blind ? OptionalLong.empty() : there.beats(host);
        }

        @Override
        public boolean gone(HostId host) {
            return there.gone(host);
        }

        @Override
        public AutoCloseable onGone(HostId host, Consumer<HostId> listener) {
            if (unwatchable) {
                throw new StoreIoException("too many open files", null);
            }
            return there.onGone(host, listener);
        }

        @Override
        public AutoCloseable onLost(Runnable listener) {
            return there.onLost(listener);
        }
    }

    @Override
    public Topic create(TopicName name, int partitions, TopicSettings settings) {
        return real.create(name, partitions, settings);
    }

    @Override
    public Optional<Topic> find(TopicName name) {
        looksForTopics++;
        return real.find(name);
    }

    @Override
    public List<Topic> list() {
        looksForTopics++;
        return real.list();
    }

    @Override
    public Topic addPartitions(TopicName name, int partitions) {
        return real.addPartitions(name, partitions);
    }

    @Override
    public Topic alter(TopicName name, TopicSettings settings) {
        return real.alter(name, settings);
    }

    @Override
    public void delete(TopicName name) {
        real.delete(name);
    }

    @Override
    public PartitionLog log(TopicId topic, int partition) {
        if (noPartitions) {
            throw new TopicNotFoundException("partition " + partition);
        }
        return real.log(topic, partition);
    }

    @Override
    public boolean isDeleted(TopicId topic) {
        return real.isDeleted(topic);
    }

    @Override
    public int partitions(TopicId topic) {
        return real.partitions(topic);
    }

    @Override
    public UUID id() {
        return real.id();
    }

    @Override
    public Optional<Claim> claim(String role) {
        return real.claim(role);
    }

    @Override
    public long newProducerId() {
        return real.newProducerId();
    }

    @Override
    public boolean readOnly() {
        return real.readOnly();
    }

    @Override
    public GroupStore groups() {
        return groups;
    }

    @Override
    public void close() {
        real.close();
    }
}
