package dev.muster.engine.group.service;

import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.engine.group.replica.ScheduledProposal;
import dev.muster.engine.group.replica.ScheduledProposals;
import dev.muster.engine.group.topics.GroupTopics;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Reports the present topics to a group when they may have changed. */
final class TopicWatch {
    private static final long AGAIN_NANOS = 3_000_000_000L;

    private final GroupTopics topics;
    private final MemberHosts hosts;
    private final ScheduledProposals proposals;
    /** The number of requests to compare the topics again. */
    private final AtomicLong requests = new AtomicLong();
    /** The changes that were handled. */
    private final Set<Change> done = ConcurrentHashMap.newKeySet();
    /** The newest change. For the thread of the service. */
    private Change newest;

    /**
     * The reason for a comparison: the topics may differ from those that the group knows.
     *
     * @param version version of the store's topics
     * @param requests number of requests to compare again
     * @param second True for the second comparison after the same change
     */
    private record Change(long version, long requests, boolean second) {}

    TopicWatch(GroupTopics topics, MemberHosts hosts, ScheduledProposals proposals) {
        this.topics = topics;
        this.hosts = hosts;
        this.proposals = proposals;
    }

    /** Asks for another comparison: a topic differs from the group's record of it. From any thread. */
    void lookAgain() {
        requests.incrementAndGet();
    }

    /** Schedules comparisons of the topics after a change. For the thread of the service. */
    void look(long topicsVersion, long now) {
        Change change = new Change(topicsVersion, requests.get(), false);
        if (!change.equals(newest)) {
            newest = change;
            done.clear();
            proposals.removeIf(reason -> reason instanceof Change);
            // A change of topics is announced before and after it is made. The process that makes it may die in
            // between, so
            // the topics are compared a second time.
            Change second = new Change(topicsVersion, change.requests(), true);
            proposals.addIfAbsent(change, () -> proposal(change, now + hosts.wait(null)));
            proposals.addIfAbsent(second, () -> proposal(second, now + AGAIN_NANOS + hosts.wait(null)));
        }
        proposals.removeIf(done::contains);
    }

    private ScheduledProposal proposal(Change change, long when) {
        return new ScheduledProposal(when, this::topicsSeen, () -> done.add(change));
    }

    /** The topics are listed after the newest state was read, so the state cannot contain newer ones. */
    private Command topicsSeen(Group group) {
        var present = topics.of(group);
        return present.equals(group.topics()) ? null : new Command.TopicsSeen(present);
    }

    void clear() {
        newest = null;
    }
}
