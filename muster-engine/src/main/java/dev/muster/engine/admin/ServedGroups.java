package dev.muster.engine.admin;

import dev.muster.core.MemberId;
import dev.muster.core.MusterException;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.TopicShape;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.group.service.GroupAccess;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.group.topics.TopicCache;
import dev.muster.store.group.DamagedGroupException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * All groups as a server presents them, modern and classic: descriptions, offsets and deletion. It has one method per
 * kind of network request. Safe for many threads.
 *
 * <p>A refusal is an answer. A future fails only if the store failed. An answered change is durable.
 */
public final class ServedGroups {
    private static final System.Logger LOG = System.getLogger(ServedGroups.class.getName());

    private final GroupService service;
    private final GroupAccess access;
    private final TopicCache topics;

    public ServedGroups(GroupService service) {
        this.service = service;
        this.access = new GroupAccess(service);
        this.topics = new TopicCache(service.store());
    }

    public Optional<GroupSummary> describe(String group) {
        return access.find(group).map(this::summary).filter(summary -> summary.state() != GroupStatus.DELETED);
    }

    /** Summarizes a group without its dead members. Also writes their deaths into the journal. */
    private GroupSummary summary(GroupReplica replica) {
        Group group = replica.newest().group();
        Set<MemberId> dead = dead(group);
        dead.stream()
                .map(id -> group.members().get(id).spec().host())
                .distinct()
                .forEach(host -> replica.submit(new Command.HostDied(host, service.lastSign(host)))
                        .exceptionally(e -> {
                            LOG.log(
                                    Level.DEBUG,
                                    "the death of host {0} is not in the journal yet: {1}",
                                    host,
                                    e.getMessage());
                            return null;
                        }));
        return GroupSummary.of(replica.name(), group, dead);
    }

    /**
     * Embedded members whose processes are dead, and whose deaths are not in the journal yet. Remote members are never
     * among them, because a remote member outlives its server.
     */
    public Set<MemberId> dead(Group group) {
        Set<MemberId> dead = new HashSet<>(service.dead(group).keySet());
        dead.removeIf(id -> !group.members().containsKey(id)
                || group.members().get(id).spec().remote());
        return dead;
    }

    /** All groups, including groups that have only offsets. */
    public List<GroupSummary> list() {
        List<GroupSummary> all = new ArrayList<>();
        for (GroupName name : service.list()) {
            try {
                describe(name.value()).ifPresent(all::add);
            } catch (DamagedGroupException e) {
                LOG.log(Level.DEBUG, "group {0} is listed as damaged: {1}", name, e.getMessage());
                all.add(GroupSummary.damaged(name));
            } catch (MusterException e) {
                // An unreadable group must not hide the other groups.
                LOG.log(Level.WARNING, "group {0} is skipped: {1}", name, e.getMessage());
            }
        }
        return all;
    }

    /** Deletes a group. A damaged group is deleted without a check for members, because they are unknown. */
    public CompletableFuture<AdminAnswer> delete(String group) {
        try {
            return deleteByRules(group).exceptionally(e -> {
                Throwable cause = e instanceof CompletionException ? e.getCause() : e;
                if (cause instanceof DamagedGroupException damage) {
                    return deleteDamaged(damage);
                }
                throw e instanceof CompletionException failed ? failed : new CompletionException(cause);
            });
        } catch (DamagedGroupException e) {
            return CompletableFuture.completedFuture(deleteDamaged(e));
        }
    }

    private AdminAnswer deleteDamaged(DamagedGroupException damage) {
        LOG.log(Level.WARNING, "group {0} is deleted though it is damaged: {1}", damage.group(), damage.getMessage());
        service.remove(new GroupName(damage.group()));
        return new AdminAnswer.Done();
    }

    private CompletableFuture<AdminAnswer> deleteByRules(String group) {
        Optional<GroupReplica> replica = access.find(group);
        if (replica.isEmpty()) {
            return CompletableFuture.completedFuture(noSuchGroup(group));
        }
        return replica.get().submit(new Command.Delete()).thenApply(reply -> {
            if (reply instanceof Reply.GroupInUse(var text)) {
                return new AdminAnswer.GroupInUse(text);
            }
            // Also if another process recorded the deletion and died before it removed the files.
            service.delete(replica.get());
            return reply instanceof Reply.GroupDeleted ? noSuchGroup(group) : new AdminAnswer.Done();
        });
    }

    // Offsets

    /** All offsets of a group in existing topics; empty if there is no such group. */
    public CompletableFuture<SortedMap<TopicPartition, Commit>> offsets(String group) {
        Optional<GroupReplica> replica = access.find(group);
        if (replica.isEmpty()) {
            return CompletableFuture.completedFuture(new TreeMap<>());
        }
        VersionedGroup seen = replica.get().newest();
        SortedMap<TopicPartition, Commit> there = new TreeMap<>(seen.group().offsets());
        there.keySet().removeIf(partition -> !isThere(seen.group(), partition.topic()));
        return access.whenDurable(replica.get(), seen, there);
    }

    /**
     * True if the group's offsets belong to the present topic of this name. Also true for a missing topic that was not
     * deleted.
     */
    private boolean isThere(Group group, TopicName topic) {
        TopicShape known = group.topics().get(topic);
        if (known == null) {
            return false;
        }
        return topics.find(topic)
                .map(shape -> shape.id().equals(known.id()))
                .orElseGet(() -> !service.store().isDeleted(known.id()));
    }

    /**
     * The outcome of a request to delete offsets.
     *
     * @param refusal the refusal; empty if the offsets were deleted, except those in {@code read}
     * @param read partitions of topics that members read: their offsets are kept
     */
    public record Forgotten(Optional<AdminAnswer.Refusal> refusal, Set<TopicPartition> read) {}

    public CompletableFuture<Forgotten> forget(String group, Set<TopicPartition> partitions) {
        Optional<GroupReplica> replica = access.find(group);
        if (replica.isEmpty()) {
            return CompletableFuture.completedFuture(new Forgotten(Optional.of(noSuchGroup(group)), Set.of()));
        }
        Group state = replica.get().newest().group();
        boolean opaque =
                state.classic().inUse() && !state.classic().protocolType().equals(Optional.of(ClassicGroup.CONSUMER));
        if (opaque) {
            return CompletableFuture.completedFuture(new Forgotten(
                    Optional.of(new AdminAnswer.GroupInUse("group \"" + group
                            + "\" has classic members, whose subscriptions are not known; stop them first")),
                    Set.of()));
        }
        Set<TopicPartition> read = new HashSet<>();
        Set<TopicPartition> free = new HashSet<>();
        for (TopicPartition partition : partitions) {
            (reads(state, partition.topic()) ? read : free).add(partition);
        }
        return replica.get().submit(new Command.Forget(free)).thenApply(reply -> switch (reply) {
            case Reply.GroupDeleted _ -> new Forgotten(Optional.of(noSuchGroup(group)), Set.of());
            case Reply.Refusal refusal ->
                new Forgotten(Optional.of(new AdminAnswer.GroupInUse(refusal.text())), Set.of());
            case Reply.Done _, Reply.Joined _, Reply.Classic _ -> new Forgotten(Optional.empty(), read);
        });
    }

    private static boolean reads(Group group, TopicName topic) {
        return group.classic().subscribes(topic)
                || group.members().values().stream()
                        .anyMatch(member -> member.spec().subscription().includes(topic));
    }

    private static AdminAnswer.Refusal noSuchGroup(String group) {
        return new AdminAnswer.NoSuchGroup("there is no group \"" + group + "\"");
    }
}
