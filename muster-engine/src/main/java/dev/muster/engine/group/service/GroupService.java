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
 * The groups of one store in this process: their replicas and their background work. The work is signs of life, timers,
 * the detection of dead processes, and wake-ups. Safe for many threads, except {@link #step}.
 *
 * <p>The service has no thread. Its owner calls {@link #step} at the time that the last call returned, and after
 * {@code wake}. {@link GroupThread} does so; a simulation does it in simulated time.
 */
public final class GroupService implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(GroupService.class.getName());

    /** The longest time between two steps: wake-ups are hints and may be lost. */
    private static final long LOOK_NANOS = 1_000_000_000;

    private static final long IDLE_NANOS = 60_000_000_000L;
    /** The interval of checks while no wake-up can arrive: the group does not exist, or the directory is read-only. */
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

    // For the thread that calls step.
    private boolean watching;
    private long lastLook;
    /** The time of the next step that the last step returned. */
    private long promised;

    /** @param wake callback that asks for another {@link #step} soon; called on any thread, must not block */
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
            subscriptions.add(store.onTopicsChange(wake));
            subscriptions.add(groups.hosts().onLost(this::lost));
        }
    }

    public LogStore store() {
        return store;
    }

    public GroupRuntime runtime() {
        return runtime;
    }

    /** This process; null if it may only read. */
    public HostId self() {
        return self;
    }

    public GroupTopics topics() {
        return topics;
    }

    /** Adds an assignor for all groups. Replaces one of the same name. */
    public void know(Assignor assignor) {
        assignors.put(assignor.name(), assignor);
    }

    public boolean knowsAssignor(String name) {
        return assignors.containsKey(name);
    }

    /** The replica of a group, which is created if it does not exist. */
    public GroupReplica open(GroupName group) {
        return watch(group).replica();
    }

    /** The replica of a group; empty if the group does not exist. */
    public Optional<GroupReplica> find(GroupName group) {
        return groups.find(group).map(journal -> watch(journal).replica());
    }

    /** The newest state of a group; empty if the group does not exist. */
    public Optional<VersionedGroup> look(GroupName group) {
        try {
            return find(group).map(GroupReplica::newest);
        } catch (GroupDeletedException e) {
            // The group was deleted since it was found.
            return Optional.empty();
        }
    }

    /** True if this process has read the group before, so that reading again is cheap. */
    public boolean isKnown(GroupName group) {
        return watches.containsKey(group);
    }

    /** The watch of a group; empty if this process has none. Opens nothing. */
    public Optional<GroupWatch> known(GroupName group) {
        return Optional.ofNullable(watches.get(group));
    }

    public List<GroupName> list() {
        return groups.list();
    }

    /**
     * Waits until a group has another version, or exists at all. Joins nothing, and works in a read-only directory too.
     *
     * @return the newest state then, or after the timeout; empty if the group does not exist
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
                    // Lines before the subscription raise no signal, so the state is read once more.
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
     * Writes the views of a group after a change by an administrator: this process may have no member that would cause
     * it.
     */
    public void publish(GroupName group) {
        GroupWatch known = watches.get(group);
        if (known != null) {
            known.publishNow();
        }
    }

    /**
     * Removes the files of a group whose deletion is recorded by {@link Command.Delete}, by any process. A newer group
     * of the same name is kept.
     */
    public void delete(GroupReplica ended) {
        groups.delete(ended.journal());
        watches.computeIfPresent(ended.name(), (_, known) -> known.replica() == ended ? null : known);
    }

    /** Removes a group whose state is unknown, without a check for members. */
    public void remove(GroupName group) {
        groups.remove(group);
        watches.remove(group);
    }

    /**
     * Plans the repair of a group; empty if the group does not exist. Changes nothing, but waits for processes that
     * know the state and may heal the journal.
     */
    public Optional<RepairPlan> planRepair(GroupName group) {
        return repair(group).map(repair -> repair.plan(runtime.wallMillis()));
    }

    /**
     * Repairs a group as planned.
     *
     * @return False if the journal changed since the plan was made: another plan is needed
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
                LOG.log(Level.DEBUG, "no process that knows the state healed group {0}", group);
            }
        });
        return journal.map(there -> new JournalRepair(store, group, there));
    }

    public GroupWatch watch(GroupName group) {
        return watch(groups.open(group));
    }

    /**
     * As {@link #watch(GroupName)}, for a group that was found. If the group was deleted meanwhile, it is not created
     * again.
     */
    public GroupWatch watch(GroupReplica found) {
        return known(found.name())
                .filter(watch -> watch.replica() == found)
                .orElseThrow(() -> new GroupDeletedException(found.name().value()));
    }

    private GroupWatch watch(GroupJournal journal) {
        GroupWatch before = watches.get(journal.group());
        GroupWatch now = watches.compute(
                journal.group(),
                // A group that was deleted and created again has another journal.
                (name, known) -> known != null && known.replica().journal() == journal ? known : begin(journal));
        if (before != null && before != now) {
            // The old watch gets no more steps, so its members must check the group themselves.
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
                    // Commits raise no wake-up, but the views must show them after a while.
                    wake.run();
                }
            }
        });
        return new GroupWatch(replica, self, topics, views, new GroupWatch.Parts(runtime, wake));
    }

    public LeaseKeeper leases() {
        return leases;
    }

    /** True if the kernel reports that a process is dead. */
    public boolean isGone(HostId host) {
        return groups.hosts().gone(host);
    }

    /**
     * Writes deaths into the journal that are not in it, because no process with members is left to write them. Called
     * before an administrator changes a group.
     */
    public void buryDead(GroupReplica replica) {
        Set<HostId> dead = new TreeSet<>(dead(replica.newest().group()).values());
        dead.forEach(host -> replica.propose(new Command.HostDied(host, lastSign(host))));
    }

    /**
     * Members of this state whose processes are dead, with these processes. A remote member is included if its server
     * is dead.
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

    /** The time of a process's last sign of life, in milliseconds since 1970; empty if it is no longer known. */
    public OptionalLong lastSign(HostId host) {
        return groups.hosts().lastSign(host);
    }

    /** Gives a sign of life now, for a member that begins to need it. */
    public void beat() {
        leases.beat(leaseMin(), this::catchUp);
        wake.run();
    }

    /** Ends all memberships, because the store no longer keeps this process registered. */
    private void lost() {
        LOG.log(Level.WARNING, "the store no longer keeps this process registered: its members are lost");
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

    /** Reads all journals to their ends, so that expelled members notice it. */
    private void catchUp() {
        for (GroupWatch watch : watches.values()) {
            try {
                if (watch.active()) {
                    watch.replica().newest();
                }
            } catch (RuntimeException e) {
                // The members of this group fail in the same way, and hand out nothing.
                LOG.log(
                        Level.DEBUG,
                        "group {0} cannot be read: {1}",
                        watch.replica().name(),
                        e.getMessage());
            }
        }
    }

    /**
     * Checks all watched processes at once, instead of waiting for notifications. For the thread that calls step, while
     * no other thread may call.
     */
    public void askForTheDead() {
        others.ask();
    }

    /**
     * Does the work that is due, without blocking. For one thread.
     *
     * @return the time of the next call, unless {@code wake} is called before
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
        long topicsVersion = store.topicsVersion();
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

    /** True if this step is so late that other processes may have given signs of life that this process missed. */
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

    /** True if views are being written at this moment. From any thread. */
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
