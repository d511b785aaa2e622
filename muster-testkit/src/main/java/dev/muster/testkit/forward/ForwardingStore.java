package dev.muster.testkit.forward;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.DiskState;
import dev.muster.store.LogStore;
import dev.muster.store.LogStore.AppendRequest;
import dev.muster.store.PartitionLog;
import dev.muster.store.PendingAppend;
import dev.muster.store.group.GroupStore;
import dev.muster.store.watch.Registration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A store that passes every call on to another store. */
public class ForwardingStore implements LogStore {
    private final LogStore target;

    public ForwardingStore(LogStore target) {
        this.target = target;
    }

    @Override
    public Topic create(TopicName name, int partitions, TopicSettings settings) {
        return target.create(name, partitions, settings);
    }

    @Override
    public Optional<Topic> find(TopicName name) {
        return target.find(name);
    }

    @Override
    public void checkSettings(TopicSettings settings) {
        target.checkSettings(settings);
    }

    @Override
    public List<Topic> list() {
        return target.list();
    }

    @Override
    public Topic addPartitions(TopicName name, int partitions) {
        return target.addPartitions(name, partitions);
    }

    @Override
    public Topic alter(TopicName name, TopicSettings settings) {
        return target.alter(name, settings);
    }

    @Override
    public void delete(TopicName name) {
        target.delete(name);
    }

    @Override
    public boolean isDeleted(TopicId topic) {
        return target.isDeleted(topic);
    }

    @Override
    public PartitionLog log(TopicId topic, int partition) {
        return target.log(topic, partition);
    }

    @Override
    public int partitions(TopicId topic) {
        return target.partitions(topic);
    }

    @Override
    public long topicsVersion() {
        return target.topicsVersion();
    }

    @Override
    public Registration onTopicsChange(Runnable wake) {
        return target.onTopicsChange(wake);
    }

    /** Calls the appenders of the requests one after the other, so that an overridden appender gets its call. */
    @Override
    public List<PendingAppend> append(List<AppendRequest> requests) {
        return LogStore.super.append(requests);
    }

    @Override
    public long newProducerId() {
        return target.newProducerId();
    }

    @Override
    public boolean readOnly() {
        return target.readOnly();
    }

    @Override
    public UUID id() {
        return target.id();
    }

    @Override
    public Optional<Claim> claim(String role) {
        return target.claim(role);
    }

    @Override
    public Optional<DiskState> disk() {
        return target.disk();
    }

    @Override
    public GroupStore groups() {
        return target.groups();
    }

    @Override
    public void close() {
        target.close();
    }
}
