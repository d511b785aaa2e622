package dev.muster.engine.group.service;

import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicTimer;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberId;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.ScheduledProposal;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.group.session.ClassicSessions;
import dev.muster.engine.group.session.RemoteSessions;
import dev.muster.engine.group.session.ServedMembers;
import dev.muster.engine.group.topics.GroupTopics;
import dev.muster.engine.group.view.GroupViewWriter;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.StoreClosedException;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.watch.Registration;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a process with members has to do for one group without being called: start the timers its state asks for, bury
 * the dead, expel the silent, tell of topics, wake its members. Every such process does the same, so each waits a
 * little longer than the one before it in line, and mostly finds that it is done.
 *
 * <p>{@link #step} is for the thread of the service alone and never blocks: what may block is done in the background.
 */
public final class GroupWatch {
    private static final System.Logger LOG = System.getLogger(GroupWatch.class.getName());

    /** How much longer each waits than the one before it in line. */
    private static final long RANK_STEP_NANOS = 5_000_000;

    private static final int RANK_MAX = 40;
    /** How much longer than the one before it each waits to take joins that keep arriving. */
    private static final long SETTLE_STEP_NANOS = 500_000;

    /** How much longer those wait who are not the first to take joins. */
    private static final int SETTLE_BACKUP = 3;

    private static final long AGAIN_NANOS = 1_000_000_000;
    private static final long TOPICS_AGAIN_NANOS = 3_000_000_000L;
    private static final long ORPHAN_NANOS = 2_000_000_000;
    /** Of so many steps within a session the observer of it makes one at a time. */
    private static final int LOOKS_PER_SESSION = 60;

    /** An observer who comes late by more than this part of a session heard nothing of it. */
    private static final int LATE_PART = 6;

    private static final long LOOK_NANOS_MIN = 5_000_000;
    private static final long LOOK_NANOS_MAX = 500_000_000;

    private final GroupReplica replica;
    private final HostId self;
    private final GroupRuntime world;
    private final Runnable wake;
    private final GroupTopics topics;
    private final GroupViewWriter views;
    private final Set<LocalMember> members = new CopyOnWriteArraySet<>();
    private final AtomicBoolean publishing = new AtomicBoolean();
    private final AtomicBoolean syncing = new AtomicBoolean();
    private final AtomicLong topicsAsked = new AtomicLong();
    /** For which reasons the topics were looked at. */
    private final Set<TopicsMoved> topicsTold = ConcurrentHashMap.newKeySet();
    /** Memberships of ours that may be in the group though nobody here acts for them. */
    private final Set<MemberId> strays = ConcurrentHashMap.newKeySet();

    private final ServedMembers served;
    private final AtomicBoolean healing = new AtomicBoolean();
    /** How often damage was reported when this process looked last. Of the service's thread. */
    private long damageReports;

    private Registration subscription;

    // Of the service's thread.
    /** In the order in which they came up: by their hashes it would be another one in each JVM. */
    private final Map<Object, ScheduledProposal> errands = new LinkedHashMap<>();

    private VersionedGroup last;
    private TopicsMoved topicsMoved;
    private SortedSet<HostId> hosts = new TreeSet<>();
    private List<Place> places = List.of();
    private boolean settling;
    private long settlingSince;
    private boolean classicSettling;
    private long classicSettlingSince;
    private long sessionMin = Long.MAX_VALUE;
    private boolean troubled;
    private boolean deleted;

    /** A member that is not away, by whatever rules it lives: which process answers for it. */
    private record Place(MemberId member, HostId host, long sessionNanos) {}

    /** A member of ours in the state that nobody here knows. */
    private record Orphan(MemberId member) {}

    /** A member of ours that does not poll. */
    private record Stuck(MemberId member) {}

    /**
     * The topics may not be what the group was told.
     *
     * @param version of the topics, as the store tells
     * @param asked how often members found that a topic is not what the group believes
     * @param again whether it is the second look for this reason
     */
    private record TopicsMoved(long version, long asked, boolean again) {}

    GroupWatch(GroupReplica replica, HostId self, GroupTopics topics, GroupViewWriter views, Parts parts) {
        this.replica = replica;
        this.self = self;
        this.topics = topics;
        this.views = views;
        this.world = parts.world();
        this.wake = parts.wake();
        this.served = new ServedMembers(replica, self, world);
        this.damageReports = replica.journal().damageReports();
    }

    /** What all watches of a service share. */
    record Parts(GroupRuntime world, Runnable wake) {}

    public GroupReplica replica() {
        return replica;
    }

    Set<LocalMember> members() {
        return members;
    }

    /**
     * Whether there is anything to do: somebody here is in the group or served, somebody may be taken over by a server
     * that never comes, or people should be told of what was written.
     */
    boolean active() {
        return !members.isEmpty() || !strays.isEmpty() || served.active() || anyoneAway() || views.pending();
    }

    /**
     * Nobody acts for this membership any more, and it may be in the group all the same: it is ended, however long that
     * takes. This process lives, so nobody else would.
     */
    public void mayStillHave(MemberId stray) {
        strays.add(stray);
        wake.run();
    }

    private boolean anyoneAway() {
        VersionedGroup known = replica.known();
        return known != null
                && (known.group().classic().hasAwayMember()
                        || known.group().members().values().stream()
                                .anyMatch(member ->
                                        member.spec().remote() && member.away().isPresent()));
    }

    /** Where members that speak the classic protocol are served; opened when it is first asked for. */
    public synchronized ClassicSessions classicDesk() {
        ClassicSessions desk = served.classic();
        subscribe();
        return desk;
    }

    /** Where members that speak the protocol of the modern rules are served; opened when it is first asked for. */
    public synchronized RemoteSessions remoteDesk() {
        RemoteSessions desk = served.remote();
        subscribe();
        return desk;
    }

    /** A member that is served here lost its connection. */
    public void hungUp() {
        served.hungUp();
        wake.run();
    }

    /** How often this process has to show that it lives, for those it serves here. */
    long heartbeatNanos() {
        return served.heartbeatNanos();
    }

    /** Heals the journal when a process reported damage since the last look. Costs a look at a word. */
    void healIfReported() {
        long reports = replica.journal().damageReports();
        if (reports != damageReports && healing.compareAndSet(false, true)) {
            damageReports = reports;
            world.inBackground(() -> {
                try {
                    replica.heal();
                } catch (GroupDeletedException | StoreClosedException e) {
                    LOG.log(Level.DEBUG, "group {0} is gone", replica.name());
                } catch (RuntimeException e) {
                    LOG.log(Level.WARNING, "group " + replica.name() + " cannot be healed", e);
                } finally {
                    healing.set(false);
                    wake.run();
                }
            });
        }
    }

    /** Whether the group is gone, so that this watch is of no more use. */
    boolean deleted() {
        return deleted;
    }

    /** The processes, besides ours, that have members here. */
    Set<HostId> otherHosts() {
        Set<HostId> others = new HashSet<>(hosts);
        others.remove(self);
        return others;
    }

    public synchronized void add(LocalMember member) {
        subscribe();
        members.add(member);
    }

    private void subscribe() {
        if (subscription == null) {
            subscription = replica.journal().onAppend(wake);
        }
    }

    /** The last one shuts the door, and leaves the views as they should be. */
    public synchronized void remove(LocalMember member) {
        if (members.remove(member) && members.isEmpty()) {
            if (!served.open()) {
                subscription.close();
                subscription = null;
            }
            views.publish(true);
        }
    }

    /** Writes the views now, for a change that was made from outside. */
    void publishNow() {
        views.publish(true);
    }

    /** How often the silence of others has to be measured for this group. */
    long lookInterval() {
        return Math.clamp(sessionMin / LOOKS_PER_SESSION, LOOK_NANOS_MIN, LOOK_NANOS_MAX);
    }

    /** How late a look may come before it says more about us than about those we look at. */
    long latenessMax() {
        return Math.max(lookInterval(), sessionMin / LATE_PART);
    }

    /**
     * Does what is due.
     *
     * @param away for how long we were not there, so that nobody can be blamed for what he did not do meanwhile
     * @return when to come again
     */
    long step(long now, HostWatch others, long topicsVersion, long away) {
        long next = now + AGAIN_NANOS;
        try {
            replica.catchUpUnlessBusy();
            VersionedGroup seen = replica.known();
            if (seen == null) {
                return next;
            }
            if (away > 0) {
                excuse(away, now);
                served.excuse(away, now);
            }
            if (seen != last) {
                boolean committed = last != null && seen.group().differsOnlyInOffsets(last.group());
                last = seen;
                if (!committed) {
                    // We may have been stopped since now: whoever went away meanwhile has all of its time before it.
                    stateMoved(seen, world.nanoTime());
                }
                replica.snapshotIfOverdue();
            }
            endStrays(seen.group(), now);
            judge(others, now);
            lookAtTopics(topicsVersion, now);
            next = Deadline.earlier(next, lookAtMembers(now));
            next = Deadline.earlier(next, served.step(seen.group(), errands, now));
            next = Deadline.earlier(next, publish(now));
            next = Deadline.earlier(next, runErrands(now));
            troubled = false;
        } catch (GroupDeletedException e) {
            deleted = true;
            members.forEach(LocalMember::nudge);
            served.close();
        } catch (StoreClosedException e) {
            throw e;
        } catch (DamagedGroupException e) {
            // The replica has logged it, and asked the processes that know the state to heal it.
            LOG.log(Level.DEBUG, "group {0} cannot be followed: {1}", replica.name(), e.getMessage());
        } catch (RuntimeException e) {
            if (!troubled) {
                troubled = true;
                LOG.log(Level.WARNING, "group " + replica.name() + " cannot be followed", e);
            }
        }
        return next;
    }

    private void stateMoved(VersionedGroup seen, long now) {
        views.saw(seen);
        Group group = seen.group();
        places = places(group);
        hosts = new TreeSet<>();
        sessionMin = Long.MAX_VALUE;
        for (Place place : places) {
            hosts.add(place.host());
            sessionMin = Math.min(sessionMin, place.sessionNanos());
        }
        startTimers(group, now);
        lookForOrphans(group, now);
        members.forEach(member -> member.stateMoved(group));
        if (!replica.isGenerationDurable(seen) && syncing.compareAndSet(false, true)) {
            world.inBackground(() -> sync(seen));
        }
        served.look();
    }

    private static List<Place> places(Group group) {
        List<Place> places = new ArrayList<>();
        group.members().forEach((id, member) -> {
            if (member.away().isEmpty()) {
                long session = Deadline.nanos(member.spec().timing().session());
                places.add(new Place(id, member.spec().host(), session));
            }
        });
        group.classic().members().forEach((id, member) -> {
            if (member.away().isEmpty()) {
                long session = Deadline.nanos(member.spec().session());
                places.add(new Place(id, member.spec().host(), session));
            }
        });
        return places;
    }

    private void sync(VersionedGroup seen) {
        try {
            replica.awaitGeneration(seen);
        } catch (GroupDeletedException | StoreClosedException e) {
            LOG.log(Level.DEBUG, "group {0} is gone", replica.name());
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "generation {0} of group {1} is not durable: {2}",
                    seen.group().generation(),
                    replica.name(),
                    e.getMessage());
        } finally {
            syncing.set(false);
        }
        members.forEach(LocalMember::nudge);
    }

    private void startTimers(Group group, long now) {
        Set<GroupTimer> wishes = new LinkedHashSet<>(group.timers());
        errands.keySet().removeIf(key -> key instanceof GroupTimer && !wishes.contains(key));
        boolean joins = wishes.stream().anyMatch(wish -> wish instanceof GroupTimer.Settle);
        if (joins && !settling) {
            settlingSince = now;
        }
        settling = joins;
        boolean arrivals = wishes.stream()
                .anyMatch(wish -> wish instanceof GroupTimer.Classic(var it) && it instanceof ClassicTimer.Settle);
        if (arrivals && !classicSettling) {
            classicSettlingSince = now;
        }
        classicSettling = arrivals;
        for (GroupTimer wish : wishes) {
            errands.computeIfAbsent(wish, any -> switch (wish) {
                case GroupTimer.Settle settle -> settling(settle, now);
                case GroupTimer.Forming forming ->
                    new ScheduledProposal(deadline(forming, now), state -> new Command.FormingOver(forming.token()));
                case GroupTimer.OfMember ofMember ->
                    new ScheduledProposal(deadline(ofMember, now), state -> new Command.Expire(ofMember));
                case GroupTimer.Classic(var classic) -> classic(classic, now);
            });
        }
    }

    private ScheduledProposal classic(ClassicTimer wish, long now) {
        long deadline = deadline(new GroupTimer.Classic(wish), now);
        if (!(wish instanceof ClassicTimer.Settle settle)) {
            return new ScheduledProposal(deadline, state -> expire(wish));
        }
        long latest = classicSettlingSince + Deadline.nanos(settle.atMost()) + patience(null);
        // As with modern joins: those that keep arriving are taken after so long, whichever is the last by then.
        return new ScheduledProposal(
                Deadline.earlier(deadline, latest),
                state -> expire(Deadline.reached(latest, world.nanoTime()) ? settleOf(state, wish) : wish));
    }

    private static Command expire(ClassicTimer wish) {
        return new Command.Classic(new ClassicCommand.Expire(wish), new TreeMap<>());
    }

    private static ClassicTimer settleOf(Group group, ClassicTimer otherwise) {
        return group.classic().timers().stream()
                .filter(ClassicTimer.Settle.class::isInstance)
                .findFirst()
                .orElse(otherwise);
    }

    private ScheduledProposal settling(GroupTimer.Settle wish, long now) {
        long after = Deadline.nanos(wish.after());
        boolean ours = wish.first().equals(self);
        long latest = settlingSince + Deadline.nanos(wish.atMost()) + (ours ? 0 : rank(null) * SETTLE_STEP_NANOS);
        long deadline = Deadline.earlier(now + (ours ? after : SETTLE_BACKUP * after), latest);
        // Joins that keep arriving each ask for another token: after so long, whichever it is by then.
        return new ScheduledProposal(
                deadline,
                state -> new Command.Settle(
                        Deadline.reached(latest, world.nanoTime()) ? token(state, wish.token()) : wish.token()));
    }

    private static long token(Group group, long otherwise) {
        for (GroupTimer wish : group.timers()) {
            if (wish instanceof GroupTimer.Settle settle) {
                return settle.token();
            }
        }
        return otherwise;
    }

    private long deadline(GroupTimer wish, long now) {
        return now + Deadline.nanos(wish.after()) + patience(null);
    }

    private void excuse(long away, long now) {
        errands.forEach((key, errand) -> {
            if (key instanceof GroupTimer wish && !(key instanceof GroupTimer.Settle)) {
                errand.deadline = Deadline.excused(errand.deadline, away, deadline(wish, now));
            }
        });
    }

    /** How long to leave it to those before us in line; the one it is about does not count. */
    private long patience(HostId about) {
        return rank(about) * RANK_STEP_NANOS;
    }

    private long rank(HostId about) {
        int rank = 0;
        for (HostId host : hosts) {
            if (host.equals(self)) {
                break;
            }
            rank += host.equals(about) ? 0 : 1;
        }
        return Math.min(rank, RANK_MAX);
    }

    /** A join whose answer we never got may have counted all the same. */
    private void lookForOrphans(Group group, long now) {
        Set<MemberId> ours = new HashSet<>();
        members.forEach(member -> ours.add(member.id()));
        group.members().forEach((id, member) -> {
            boolean ownHere =
                    member.spec().host().equals(self) && !member.spec().remote();
            if (member.away().isEmpty() && ownHere && !ours.contains(id)) {
                endLater(id, now);
            }
        });
    }

    /** Those whom an answer was lost for, and those who were found, until they are out for certain. */
    private void endStrays(Group group, long now) {
        strays.forEach(id -> endLater(id, now));
        errands.keySet()
                .removeIf(key -> key instanceof Orphan(var id)
                        && !strays.contains(id)
                        && (!group.members().containsKey(id) || isOurs(id)));
    }

    private void endLater(MemberId id, long now) {
        errands.computeIfAbsent(
                new Orphan(id),
                any -> new ScheduledProposal(
                        now + ORPHAN_NANOS,
                        state -> state.members().containsKey(id) && !isOurs(id)
                                ? new Command.Leave(id, LeaveCause.LEFT, false)
                                : null,
                        () -> strays.remove(id)));
    }

    private boolean isOurs(MemberId id) {
        return members.stream().anyMatch(member -> id.equals(member.id()));
    }

    private void judge(HostWatch others, long now) {
        errands.keySet().removeIf(key -> switch (key) {
            case Command.HostDied(var host, var _) -> !hosts.contains(host);
            case Command.SessionExpired(var id, var host, var _, var _) ->
                places.stream()
                        .noneMatch(place ->
                                place.member().equals(id) && place.host().equals(host) && isSilent(place, others, now));
            default -> false;
        });
        for (HostId host : hosts) {
            if (!host.equals(self) && others.gone(host)) {
                Command died = new Command.HostDied(host);
                errands.computeIfAbsent(
                        died,
                        any -> new ScheduledProposal(
                                now + patience(host), state -> new Command.HostDied(host, others.lastSign(host))));
            }
        }
        for (Place place : places) {
            HostId host = place.host();
            if (!host.equals(self) && isSilent(place, others, now)) {
                OptionalLong beats = others.beats(host);
                Command expired = new Command.SessionExpired(place.member(), host, LeaveCause.SESSION_EXPIRED);
                errands.computeIfAbsent(
                        expired,
                        any -> new ScheduledProposal(
                                now + patience(host),
                                state -> others.beats(host).equals(beats) ? expired(place, others) : null));
            }
        }
    }

    private static Command expired(Place place, HostWatch others) {
        return new Command.SessionExpired(
                place.member(), place.host(), LeaveCause.SESSION_EXPIRED, others.lastSign(place.host()));
    }

    private static boolean isSilent(Place place, HostWatch others, long now) {
        return others.silence(place.host(), now) >= place.sessionNanos();
    }

    private void lookAtTopics(long topicsVersion, long now) {
        TopicsMoved moved = new TopicsMoved(topicsVersion, topicsAsked.get(), false);
        if (!moved.equals(topicsMoved)) {
            topicsMoved = moved;
            topicsTold.clear();
            errands.keySet().removeIf(key -> key instanceof TopicsMoved);
            // A change is announced before it is made and told after. Its maker may die in between: look once more.
            TopicsMoved once = new TopicsMoved(topicsVersion, moved.asked(), true);
            errands.put(moved, lookForTopics(moved, now + patience(null)));
            errands.put(once, lookForTopics(once, now + TOPICS_AGAIN_NANOS + patience(null)));
        }
        errands.keySet().removeAll(topicsTold);
    }

    private ScheduledProposal lookForTopics(TopicsMoved moved, long when) {
        return new ScheduledProposal(when, this::topicsSeen, () -> topicsTold.add(moved));
    }

    /** Listed on a state that is the newest, so nobody can have told of anything newer before us. */
    private Command topicsSeen(Group group) {
        var there = topics.of(group);
        return there.equals(group.topics()) ? null : new Command.TopicsSeen(there);
    }

    /** The topics are looked at once more: one of them is not what the group believes. */
    public void lookAtTopicsAgain() {
        topicsAsked.incrementAndGet();
        wake.run();
    }

    private long lookAtMembers(long now) {
        long next = now + AGAIN_NANOS;
        for (LocalMember member : members) {
            MemberId id = member.id();
            long idleSince = member.idleSince();
            boolean works = id != null && last.group().members().containsKey(id);
            if (!works || idleSince == LocalMember.NOT_IDLE) {
                continue;
            }
            long deadline = idleSince + Deadline.nanos(member.maxPollInterval());
            if (Deadline.reached(deadline, now)) {
                Stuck key = new Stuck(id);
                if (!errands.containsKey(key)) {
                    LOG.log(
                            Level.WARNING,
                            "member {0} of group {1} has not polled for {2} and leaves the group",
                            id,
                            replica.name(),
                            member.maxPollInterval());
                    errands.put(
                            key,
                            new ScheduledProposal(now, any -> new Command.Leave(id, LeaveCause.POLL_TIMED_OUT, false)));
                }
            } else {
                next = Deadline.earlier(next, deadline);
            }
        }
        errands.keySet()
                .removeIf(key ->
                        key instanceof Stuck(var id) && !last.group().members().containsKey(id));
        return next;
    }

    private long publish(long now) {
        long later = now + AGAIN_NANOS;
        long due = views.due(later);
        if (due == later || !Deadline.reached(due, now)) {
            return due;
        }
        if (publishing.compareAndSet(false, true)) {
            world.inBackground(() -> {
                try {
                    views.publish(false);
                } finally {
                    publishing.set(false);
                    wake.run();
                }
            });
        }
        return later;
    }

    /** Whether views are being written at this moment. From any thread. */
    boolean isPublishing() {
        return publishing.get();
    }

    private long runErrands(long now) {
        long next = now + AGAIN_NANOS;
        for (var entry : errands.entrySet()) {
            ScheduledProposal errand = entry.getValue();
            if (Deadline.reached(errand.deadline, now)) {
                errand.deadline = now + AGAIN_NANOS;
                world.inBackground(() -> run(entry.getKey(), errand));
            }
            next = Deadline.earlier(next, errand.deadline);
        }
        return next;
    }

    private void run(Object what, ScheduledProposal errand) {
        try {
            replica.propose(errand.question);
            errand.done.run();
        } catch (GroupDeletedException | StoreClosedException e) {
            LOG.log(Level.DEBUG, "group {0} is gone", replica.name());
        } catch (DamagedGroupException e) {
            LOG.log(Level.DEBUG, "group {0} is damaged, so {1} is not written down", replica.name(), what);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "group " + replica.name() + ": " + what + " is not written down yet", e);
        }
        wake.run();
    }

    /** Forgets everything that was to be done. */
    void clear() {
        errands.clear();
        hosts = new TreeSet<>();
        places = List.of();
        last = null;
        settling = false;
        topicsMoved = null;
        classicSettling = false;
        served.clear();
    }
}
