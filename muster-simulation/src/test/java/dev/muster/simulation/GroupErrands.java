package dev.muster.simulation;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.TopicShape;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Changes the group as an administrator does, while it has no members. */
final class GroupErrands {
    private final HostActor host;
    private final LogStore store;
    private final Referee referee;

    GroupErrands(HostActor host, LogStore store) {
        this.host = host;
        this.store = store;
        this.referee = host.run().referee();
    }

    private Optional<GroupReplica> replica() {
        Optional<GroupReplica> found = host.service().find(GroupRun.GROUP);
        found.ifPresent(group -> {
            referee.mayLook();
            host.service().buryDead(group);
        });
        return found;
    }

    /**
     * Sets the offset of a partition to a random one in the log.
     *
     * @return True if the offset was set
     */
    boolean reset(KnownTopic known, boolean live) {
        Topic topic = store.find(known.name()).orElse(null);
        GroupReplica group = replica().orElse(null);
        if (topic == null || group == null) {
            return false;
        }
        int number = host.process().simulation().chance().nextInt(topic.partitions());
        PartitionLog log = store.log(topic.id(), number);
        long offset = log.startOffset()
                + host.process().simulation().chance().nextLong(log.endOffset() - log.startOffset() + 1);
        TopicPartition partition = new TopicPartition(topic.name(), number);
        Command[] last = {null};
        Reply reply = group.propose(any -> {
            last[0] = reset(topic.id(), partition, offset, live);
            return last[0];
        });
        if (!(reply instanceof Reply.Done) || last[0] == null) {
            return false;
        }
        referee.resetAcknowledged(topic.id(), topic.name() + ":" + number, offset);
        return true;
    }

    /** @return the command; null if the topic was replaced, so the offset is meaningless */
    private Command reset(TopicId topic, TopicPartition partition, long offset, boolean live) {
        Topic now = store.find(partition.topic())
                .filter(found -> found.id().equals(topic))
                .orElse(null);
        if (now == null) {
            return null;
        }
        var offsets = new TreeMap<>(Map.of(partition, new CommittedOffset(offset)));
        var topics = new TreeMap<>(Map.of(now.name(), new TopicShape(now.id(), now.partitions())));
        return live ? new Command.Rewind(offsets, topics, "admin", "") : new Command.Reset(offsets, topics);
    }

    /**
     * Deletes the offset of a partition.
     *
     * @return True if the offset was deleted
     */
    boolean forget(KnownTopic known) {
        TopicPartition partition = new TopicPartition(known.name(), 0);
        return replica()
                .map(group -> group.propose(new Command.Forget(Set.of(partition))))
                .filter(reply -> reply instanceof Reply.Done)
                .isPresent();
    }

    /** @return True if the group was deleted */
    boolean delete() {
        GroupReplica group = replica().orElse(null);
        if (group == null) {
            return false;
        }
        Life ending = referee.present();
        Reply reply = group.propose(new Command.Delete());
        if (reply instanceof Reply.Done) {
            referee.deleteAcknowledged(ending);
        } else if (!(reply instanceof Reply.GroupDeleted)) {
            return false;
        }
        host.service().delete(group);
        return true;
    }
}
