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
 * What a process with members has to do for one group without being called: start the timers its state asks for, write
 * down deaths, expel silent members, report topics, wake its members. Every such process does the same, so each waits a
 * little longer than the one before it in line, and mostly finds that it is done.
 *
 * <p>{@link #step} is for the thread of the service alone and never blocks: what may block is done in the background.
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

    // Of the service's thread.
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

    /** What all watches of a service share. */
    record Parts(GroupRuntime runtime, Runnable wake) {}

    public GroupReplica replica() {
        return replica;
    }

    Set<LocalMember> members() {
        return members;
    }

    /**
     * True if there is anything to do: a member lives here or is served here, a member waits to be taken over by a
     * server that never comes, or views are due.
     */
    boolean active() {
        return !members.isEmpty() || !abandoned.isEmpty() || served.active() || anyoneAway() || views.pending();
    }

    /**
     * No member acts for this membership any more, and it may be in the group all the same: it is ended, however long
     * that takes. This process lives, so no other process would end it.
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

    /** Where members that speak the classic protocol are served; opened when it is first asked for. */
    public synchronized ClassicSessions classicSessions() {
        ClassicSessions sessions = served.classic();
        subscribe();
        return sessions;
    }

    /** Where members that speak the protocol of the modern rules are served; opened when it is first asked for. */
    public synchronized RemoteSessions remoteSessions() {
        RemoteSessions sessions = served.remote();
        subscribe();
        return sessions;
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

    /** Heals the journal if a process reported damage since the last look. Costs a look at a word. */
    void healIfReported() {
        healing.healIfReported();
    }

    /** True if the group is gone, so that this watch is of no more use. */
    boolean deleted() {
        return deleted;
    }

    /** The processes, besides ours, that have members here. */
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

    /** After the last member the subscription ends, and the views are written once more. */
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
        return hosts.lookInterval();
    }

    /** How late a look may come before it says more about us than about those we look at. */
    long latenessMax() {
        return hosts.latenessMax();
    }

    /**
     * Does what is due.
     *
     * @param away time that this process was away; the silence of others in that time does not count
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
                timers.excuse(away, now);
                served.excuse(away, now);
            }
            if (seen != last) {
                boolean committed = last != null && seen.group().differsOnlyInOffsets(last.group());
                last = seen;
                if (!committed) {
                    // This process may have been stopped since: a member that went away meanwhile still has all of its
                    // time.
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

    /** The topics are looked at once more: one of them is not what the group believes. */
    public void lookAtTopicsAgain() {
        topics.lookAgain();
        wake.run();
    }

    /** True if views are being written at this moment. From any thread. */
    boolean isPublishing() {
        return publisher.isPublishing();
    }

    /** Forgets everything that was to be done. */
    void clear() {
        proposals.clear();
        hosts.clear();
        last = null;
        timers.clear();
        topics.clear();
        served.clear();
    }
}
