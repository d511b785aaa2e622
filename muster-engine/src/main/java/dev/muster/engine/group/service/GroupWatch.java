package dev.muster.engine.group.service;

import dev.muster.core.MemberId;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.HostId;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.ScheduledProposals;
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
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The background work of a process for one group: it starts the timers that the state asks for, writes deaths into the
 * journal, expels silent members, reports topics, and wakes its members. Every process with members does the same. So
 * each waits a little longer than the process of the rank before it, and usually finds the work done.
 *
 * <p>{@link #step} is for the thread of the service alone and never blocks: work that may block runs in the background.
 */
public final class GroupWatch {
    private static final System.Logger LOG = System.getLogger(GroupWatch.class.getName());

    private static final long AGAIN_NANOS = 1_000_000_000;

    private final GroupReplica replica;
    private final GroupRuntime runtime;
    private final Runnable wake;
    private final GroupViewWriter views;
    private final Set<LocalMember> members = new CopyOnWriteArraySet<>();
    private final ServedMembers served;
    private final MemberHosts hosts;
    private final ScheduledProposals proposals;
    private final GroupTimers timers;
    private final HostJudge judge;
    private final AbandonedMembers abandoned;
    private final TopicWatch topics;
    private final PollTimeouts pollTimeouts;
    private final ViewPublisher publisher;
    private final JournalHealing healing;
    private final AtomicBoolean syncing = new AtomicBoolean();

    private Registration subscription;

    // For the thread of the service.
    private VersionedGroup last;
    private boolean troubled;
    private boolean deleted;

    GroupWatch(GroupReplica replica, HostId self, GroupTopics topics, GroupViewWriter views, Parts parts) {
        this.replica = replica;
        this.views = views;
        this.runtime = parts.runtime();
        this.wake = parts.wake();
        this.served = new ServedMembers(replica, self, runtime);
        this.hosts = new MemberHosts(self);
        this.proposals = new ScheduledProposals(replica, runtime, wake);
        this.timers = new GroupTimers(hosts, runtime, proposals);
        this.judge = new HostJudge(hosts, proposals);
        this.abandoned = new AbandonedMembers(self, members, proposals);
        this.topics = new TopicWatch(topics, hosts, proposals);
        this.pollTimeouts = new PollTimeouts(replica.name(), members, proposals);
        this.publisher = new ViewPublisher(views, runtime, wake);
        this.healing = new JournalHealing(replica, runtime, wake);
    }

    /** The parts that all watches of a service share. */
    record Parts(GroupRuntime runtime, Runnable wake) {}

    public GroupReplica replica() {
        return replica;
    }

    Set<LocalMember> members() {
        return members;
    }

    /**
     * True if there is work: a member lives or is served here, a member waits for a server to adopt it, or views are
     * due.
     */
    boolean active() {
        return !members.isEmpty() || !abandoned.isEmpty() || served.active() || anyoneAway() || views.pending();
    }

    /**
     * Ends a membership that no consumer uses any more and that may still be in the group, and repeats that until it
     * succeeds. This process lives, so no other process would end it.
     */
    public void mayStillHave(MemberId member) {
        abandoned.report(member);
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

    /** The sessions of classic members, created on the first call. */
    public synchronized ClassicSessions classicSessions() {
        ClassicSessions sessions = served.classic();
        subscribe();
        return sessions;
    }

    /** The sessions of remote modern members, created on the first call. */
    public synchronized RemoteSessions remoteSessions() {
        RemoteSessions sessions = served.remote();
        subscribe();
        return sessions;
    }

    /** Notes that a member that is served here closed its connection. */
    public void hungUp() {
        served.hungUp();
        wake.run();
    }

    /** The interval of this process's signs of life that the members served here need. */
    long heartbeatNanos() {
        return served.heartbeatNanos();
    }

    /** Heals the journal if a process reported damage since the last check. The check reads one word of memory. */
    void healIfReported() {
        healing.healIfReported();
    }

    /** True if the group was deleted, so this watch is no longer needed. */
    boolean deleted() {
        return deleted;
    }

    /** The other processes with members in this group. */
    Set<HostId> otherHosts() {
        return hosts.others();
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

    /** Removes a member. After the last one the subscription ends, and the views are written once more. */
    public synchronized void remove(LocalMember member) {
        if (members.remove(member) && members.isEmpty()) {
            if (!served.open()) {
                subscription.close();
                subscription = null;
            }
            views.publish(true);
        }
    }

    /** Writes the views now, after a change by an administrator. */
    void publishNow() {
        views.publish(true);
    }

    /** The interval at which this group needs the silence of other processes measured. */
    long lookInterval() {
        return hosts.lookInterval();
    }

    /** The delay of a check above which it may show a pause of this process instead of the silence of another one. */
    long latenessMax() {
        return hosts.latenessMax();
    }

    /**
     * Does the work that is due.
     *
     * @param away time for which this process was paused; the silence of others in that time does not count
     * @return the time of the next call
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
                timers.excuse(away, now);
                served.excuse(away, now);
            }
            if (seen != last) {
                boolean committed = last != null && seen.group().differsOnlyInOffsets(last.group());
                last = seen;
                if (!committed) {
                    // This process may have been suspended since: a member that went away meanwhile still has its whole
                    // session.
                    stateMoved(seen, runtime.nanoTime());
                }
                replica.snapshotIfOverdue();
            }
            abandoned.end(seen.group(), now);
            judge.judge(others, now);
            topics.look(topicsVersion, now);
            next = Deadline.earlier(next, pollTimeouts.look(last.group(), now));
            next = Deadline.earlier(next, served.step(seen.group(), proposals, now));
            next = Deadline.earlier(next, publisher.publishIfDue(now));
            next = Deadline.earlier(next, proposals.submitDue(now));
            troubled = false;
        } catch (GroupDeletedException e) {
            deleted = true;
            members.forEach(LocalMember::nudge);
            served.close();
        } catch (StoreClosedException e) {
            throw e;
        } catch (DamagedGroupException e) {
            // The replica has logged the damage, and asked the processes that know the state to heal the journal.
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
        hosts.update(group);
        timers.start(group, now);
        abandoned.find(group, now);
        members.forEach(member -> member.stateMoved(group));
        if (!replica.isGenerationDurable(seen) && syncing.compareAndSet(false, true)) {
            runtime.inBackground(() -> sync(seen));
        }
        served.look();
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

    /** Compares the topics again, because a topic differs from the group's record of it. */
    public void lookAtTopicsAgain() {
        topics.lookAgain();
        wake.run();
    }

    /** True if views are being written at this moment. From any thread. */
    boolean isPublishing() {
        return publisher.isPublishing();
    }

    /** Drops all scheduled work. */
    void clear() {
        proposals.clear();
        hosts.clear();
        last = null;
        timers.clear();
        topics.clear();
        served.clear();
    }
}
