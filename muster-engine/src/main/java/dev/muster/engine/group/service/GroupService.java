package dev.muster.engine.group.service;

import dev.muster.core.MemberId;
import dev.muster.core.assign.Assignor;
import dev.muster.core.assign.Assignors;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.repair.RepairPlan;
import dev.muster.engine.group.repair.JournalRepair;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.group.topics.GroupTopics;
import dev.muster.engine.group.view.GroupViewWriter;
import dev.muster.engine.runtime.CountingWait;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.LogStore;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupStore;
import dev.muster.store.watch.Registration;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The groups of one store in this process: their replicas, and everything that has to happen without being called:
 * signs of life, timers, the judgement of other processes, wake-ups. For all threads, but for {@link #step}.
 *
 * <p>It is a plain object without a thread. Its owner calls {@link #step} when the time it returned last has come, or
 * after {@code wake} was called. {@link GroupThread} does so; a simulator may do it in its own time.
 */
public final class GroupService implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(GroupService.class.getName());

    /** Wake-ups are hints: after this time we look by ourselves. */
    private static final long LOOK_NANOS = 1_000_000_000;

    private static final long IDLE_NANOS = 60_000_000_000L;
    /** Without a group, or without permission to write, no wake-up comes. */
    private static final long AWAIT_LOOK_NANOS = 100_000_000;

    private final LogStore store;
    private final GroupStore groups;
    private final HostId self;
    private final GroupRuntime runtime;
    private final Runnable wake;
    private final GroupTopics topics;
    private final Map<String, Assignor> assignors = new ConcurrentHashMap<>();
    private final Map<GroupName, GroupWatch> watches = new ConcurrentHashMap<>();
    private final LeaseKeeper leases;
    private final HostWatch others;
    private final List<AutoCloseable> subscriptions = new ArrayList<>();
    private volatile boolean closed;

    // Of the thread that steps.
    private boolean watching;
    private long lastLook;
    /** When we said that we would come again. */
    private long promised;

    /** @param wake asks for another {@link #step}, soon; from any thread, and without blocking */
    public GroupService(LogStore store, GroupRuntime runtime, Runnable wake) {
        this.store = store;
        this.groups = store.groups();
        this.runtime = runtime;
        this.wake = wake;
        this.topics = new GroupTopics(store);
        this.self = store.readOnly() ? null : groups.hosts().self();
        this.leases = new LeaseKeeper(groups.hosts(), runtime);
        this.others = new HostWatch(groups.hosts(), wake);
        Assignors.BUILT_IN.values().forEach(this::know);
        if (self != null) {
            subscriptions.add(groups.onTopicsChange(wake));
            subscriptions.add(groups.hosts().onLost(this::lost));
        }
    }

    public LogStore store() {
        return store;
    }

    public GroupRuntime runtime() {
        return runtime;
    }

    /** This process; null when it may only read. */
    public HostId self() {
        return self;
    }

    public GroupTopics topics() {
        return topics;
    }

    /** Makes an assignor known, for all groups; one of the same name is replaced. */
    public void know(Assignor assignor) {
        assignors.put(assignor.name(), assignor);
    }

    public boolean knowsAssignor(String name) {
        return assignors.containsKey(name);
    }

    /** A group as this process knows it, made when it is not there. */
    public GroupReplica open(GroupName group) {
        return watch(group).replica();
    }

    /** A group as this process knows it, if there is one. */
    public Optional<GroupReplica> find(GroupName group) {
        return groups.find(group).map(journal -> watch(journal).replica());
    }

    /** The newest state of a group, if there is one. */
    public Optional<VersionedGroup> look(GroupName group) {
        try {
            return find(group).map(GroupReplica::newest);
        } catch (GroupDeletedException e) {
            // Since it was found.
            return Optional.empty();
        }
    }

    /** True if this process has looked at a group before, so that looking again is cheap. */
    public boolean isKnown(GroupName group) {
        return watches.containsKey(group);
    }

    /** What this process has to do for a group, if it looked at it before; nothing is opened for it. */
    public Optional<GroupWatch> known(GroupName group) {
        return Optional.ofNullable(watches.get(group));
    }

    public List<GroupName> list() {
        return groups.list();
    }

    /**
     * Waits until a group is not what it was at a version, or is there at all. Joins nothing, and works where nothing
     * may be written.
     *
     * @return what it is then, or after the timeout; empty when there is no such group
     */
    public Optional<VersionedGroup> await(GroupName group, long version, long timeoutNanos) {
        long end = runtime.nanoTime() + timeoutNanos;
        CountingWait wait = new CountingWait();
        Registration subscription = null;
        try {
            while (true) {
                long seen = wait.count();
                Optional<VersionedGroup> state = look(group);
                long left = end - runtime.nanoTime();
                boolean changed = state.map(VersionedGroup::version).orElse(0L) != version;
                if (changed || left <= 0 || Thread.currentThread().isInterrupted()) {
                    return state;
                }
                GroupWatch there = watches.get(group);
                if (subscription == null && state.isPresent() && there != null) {
                    // Lines before the subscription raise no signal: look once more.
                    subscription = there.replica().journal().onAppend(wait::signal);
                } else {
                    wait.await(seen, Math.min(left, AWAIT_LOOK_NANOS));
                }
            }
        } finally {
            if (subscription != null) {
                subscription.close();
            }
        }
    }

    /**
     * Writes the views of a group for people, after a change from outside: there may be no member here to do so later.
     */
    public void publish(GroupName group) {
        GroupWatch known = watches.get(group);
        if (known != null) {
            known.publishNow();
        }
    }

    /**
     * Removes a group whose end is written down: what {@link Command.Delete} began, in any process. One made anew under
     * its name stays.
     */
    public void delete(GroupReplica ended) {
        groups.delete(ended.journal());
        watches.computeIfPresent(ended.name(), (_, known) -> known.replica() == ended ? null : known);
    }

    /** Removes a group whose state cannot be told, and so not be asked whether it has members. */
    public void remove(GroupName group) {
        groups.remove(group);
        watches.remove(group);
    }

    /**
     * What a repair of a group would do; empty when there is no such group. Changes nothing, and gives processes that
     * know the state the time to heal the journal.
     */
    public Optional<RepairPlan> planRepair(GroupName group) {
        return repair(group).map(repair -> repair.plan(runtime.wallMillis()));
    }

    /**
     * Does what a plan says.
     *
     * @return false when the journal is not what it was any more: make another plan
     */
    public boolean repair(RepairPlan plan) {
        if (self == null) {
            throw new ReadOnlyException("repair group \"" + plan.group() + "\"");
        }
        groups.restoreName(plan.group());
        return repair(plan.group())
                .map(repair -> repair.execute(plan, self, runtime.wallMillis()))
                .orElse(false);
    }

    private Optional<JournalRepair> repair(GroupName group) {
        Optional<GroupJournal> journal = groups.findDamaged(group);
        journal.ifPresent(there -> {
            try {
                watch(there).replica().newest();
            } catch (DamagedGroupException e) {
                LOG.log(Level.DEBUG, "group {0} is not healed by a process that knows it", group);
            }
        });
        return journal.map(there -> new JournalRepair(store, group, there));
    }

    public GroupWatch watch(GroupName group) {
        return watch(groups.open(group));
    }

    /** As {@link #watch(GroupName)}, for a group that was found; should it be deleted by now it is not made anew. */
    public GroupWatch watch(GroupReplica found) {
        return known(found.name())
                .filter(watch -> watch.replica() == found)
                .orElseThrow(() -> new GroupDeletedException(found.name().value()));
    }

    private GroupWatch watch(GroupJournal journal) {
        GroupWatch before = watches.get(journal.group());
        GroupWatch now = watches.compute(
                journal.group(),
                // A journal is another one when its group was deleted and made anew.
                (name, known) -> known != null && known.replica().journal() == journal ? known : begin(journal));
        if (before != null && before != now) {
            // The old one is not stepped any more: its members have to look by themselves.
            before.members().forEach(LocalMember::nudge);
        }
        return now;
    }

    private GroupWatch begin(GroupJournal journal) {
        GroupViewWriter views =
                new GroupViewWriter(journal, runtime, groups.hosts().machine());
        GroupReplica replica = new GroupReplica(journal, self, assignors, runtime, new GroupReplica.Watcher() {
            @Override
            public void moved() {
                wake.run();
            }

            @Override
            public void wrote(Entry entry, VersionedGroup before, VersionedGroup after) {
                boolean idle = !views.pending();
                views.wrote(entry, before, after);
                if (idle) {
                    // Commits raise no wake-up, but the views have to show them some time.
                    wake.run();
                }
            }
        });
        return new GroupWatch(replica, self, topics, views, new GroupWatch.Parts(runtime, wake));
    }

    public LeaseKeeper leases() {
        return leases;
    }

    /** The kernel's word on a process. */
    public boolean isGone(HostId host) {
        return groups.hosts().gone(host);
    }

    /**
     * Writes down deaths that are not in the journal, because no process is left that would write them. For changes of
     * a group from outside.
     */
    public void buryDead(GroupReplica replica) {
        Set<HostId> dead = new TreeSet<>(dead(replica.newest().group()).values());
        dead.forEach(host -> replica.propose(new Command.HostDied(host, lastSign(host))));
    }

    /**
     * Members that are present in this state though their processes are dead, with these processes. A member that a
     * server speaks for is among them when that server is dead.
     */
    public SortedMap<MemberId, HostId> dead(Group group) {
        Map<HostId, Boolean> gone = new HashMap<>();
        SortedMap<MemberId, HostId> dead = new TreeMap<>();
        group.members().forEach((id, member) -> {
            HostId host = member.spec().host();
            if (member.away().isEmpty() && gone.computeIfAbsent(host, this::isGone)) {
                dead.put(id, host);
            }
        });
        group.classic().members().forEach((id, member) -> {
            HostId host = member.spec().host();
            if (member.away().isEmpty() && gone.computeIfAbsent(host, this::isGone)) {
                dead.put(id, host);
            }
        });
        return dead;
    }

    /** Milliseconds since 1970 of the last sign of life of a process; empty when it is not known any more. */
    public OptionalLong lastSign(HostId host) {
        return groups.hosts().lastSign(host);
    }

    /** Gives a sign of life now, for a member that begins to need it. */
    public void beat() {
        leases.beat(leaseMin(), this::catchUp);
        wake.run();
    }

    /** The store does not vouch for this process any more. */
    private void lost() {
        LOG.log(Level.WARNING, "the store lost sight of this process: its members are out");
        members().forEach(LocalMember::lostByStore);
    }

    private List<LocalMember> members() {
        return watches.values().stream()
                .flatMap(watch -> watch.members().stream())
                .toList();
    }

    private long leaseMin() {
        return members().stream().mapToLong(LocalMember::leaseNanos).min().orElse(Long.MAX_VALUE);
    }

    private long heartbeatMin() {
        long served = watches.values().stream()
                .mapToLong(GroupWatch::heartbeatNanos)
                .min()
                .orElse(Long.MAX_VALUE);
        return members().stream()
                .mapToLong(member -> Deadline.nanos(member.heartbeat()))
                .reduce(served, Math::min);
    }

    /** Learns everything that was written, so that expelled members know it. */
    private void catchUp() {
        for (GroupWatch watch : watches.values()) {
            try {
                if (watch.active()) {
                    watch.replica().newest();
                }
            } catch (RuntimeException e) {
                // Its members find the same when they look, and hand out nothing.
                LOG.log(
                        Level.DEBUG,
                        "group {0} cannot be read: {1}",
                        watch.replica().name(),
                        e.getMessage());
            }
        }
    }

    /**
     * Asks for the kernel's word on all processes that are watched, instead of waiting for it. For the thread that
     * steps, while no other thread may call.
     */
    public void askForTheDead() {
        others.ask();
    }

    /**
     * Does what is due, and does not block. For one thread.
     *
     * @return when to call again, unless woken before
     */
    public long step(long now) {
        if (closed || self == null) {
            return now + IDLE_NANOS;
        }
        long next = now + LOOK_NANOS;
        watches.values().removeIf(GroupWatch::deleted);
        List<GroupWatch> active = new ArrayList<>();
        for (GroupWatch watch : watches.values()) {
            watch.healIfReported();
            if (watch.active()) {
                active.add(watch);
            } else {
                watch.clear();
            }
        }
        if (active.isEmpty()) {
            others.watch(Set.of(), now);
            watching = false;
            return now + IDLE_NANOS;
        }
        next = Deadline.earlier(next, beatIfDue(now));
        long away = isLate(active, now) ? now - promised : 0;
        if (away > 0) {
            others.excuse(away, now);
        }
        next = Deadline.earlier(next, lookAtOthers(active, now));
        long topicsVersion = groups.topicsVersion();
        Set<HostId> hosts = new HashSet<>();
        for (GroupWatch watch : active) {
            next = Deadline.earlier(next, watch.step(now, others, topicsVersion, away));
            hosts.addAll(watch.otherHosts());
        }
        others.watch(hosts, now);
        watching = true;
        promised = next;
        return next;
    }

    private long beatIfDue(long now) {
        long interval = heartbeatMin();
        if (Deadline.reached(leases.due(interval, now), now)) {
            leases.beat(leaseMin(), this::catchUp);
        }
        return leases.due(interval, now);
    }

    /** True if we come so much later than we said that the silence of others may be our own deafness. */
    private boolean isLate(List<GroupWatch> active, long now) {
        long lateness = Long.MAX_VALUE;
        for (GroupWatch watch : active) {
            lateness = Math.min(lateness, watch.latenessMax());
        }
        return watching && now - promised > lateness;
    }

    private long lookAtOthers(List<GroupWatch> active, long now) {
        long interval = LOOK_NANOS;
        for (GroupWatch watch : active) {
            interval = Math.min(interval, watch.lookInterval());
        }
        if (!watching || Deadline.reached(lastLook + interval, now)) {
            others.look(now);
            lastLook = now;
        }
        return others.isEmpty() ? now + LOOK_NANOS : lastLook + interval;
    }

    /** True if views for people are being written at this moment. From any thread. */
    boolean isPublishing() {
        return watches.values().stream().anyMatch(GroupWatch::isPublishing);
    }

    @Override
    public void close() {
        closed = true;
        for (AutoCloseable subscription : subscriptions) {
            try {
                subscription.close();
            } catch (Exception e) {
                LOG.log(Level.DEBUG, "a subscription could not be ended", e);
            }
        }
        others.close();
    }
}
