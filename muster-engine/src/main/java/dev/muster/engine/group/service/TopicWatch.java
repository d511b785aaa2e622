package dev.muster.engine.group.service;

import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.engine.group.replica.ScheduledProposal;
import dev.muster.engine.group.replica.ScheduledProposals;
import dev.muster.engine.group.topics.GroupTopics;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Tells a group what its topics are, when they may have changed. */
final class TopicWatch {
    private static final long AGAIN_NANOS = 3_000_000_000L;

    private final GroupTopics topics;
    private final MemberHosts hosts;
    private final ScheduledProposals proposals;
    /** Number of requests to look again. */
    private final AtomicLong requests = new AtomicLong();
    /** Changes whose looks are done. */
    private final Set<Change> done = ConcurrentHashMap.newKeySet();
    /** The newest change; of the service's thread. */
    private Change newest;

    /**
     * The reason for a look: the topics may differ from those that the group knows.
     *
     * @param version version of the store's topics
     * @param requests number of requests to look again
     * @param second True for the second look for the same reason
     */
    private record Change(long version, long requests, boolean second) {}

    TopicWatch(GroupTopics topics, MemberHosts hosts, ScheduledProposals proposals) {
        this.topics = topics;
        this.hosts = hosts;
        this.proposals = proposals;
    }

    /** Asks for another look: a topic is not what the group believes. From any thread. */
    void lookAgain() {
        requests.incrementAndGet();
    }

    /** Schedules looks at the topics after a change. For the thread of the service. */
    void look(long topicsVersion, long now) {
        Change change = new Change(topicsVersion, requests.get(), false);
        if (!change.equals(newest)) {
            newest = change;
            done.clear();
            proposals.removeIf(reason -> reason instanceof Change);
            // A change is announced before it is made and after. Its maker may die in between: look a second time.
            Change second = new Change(topicsVersion, change.requests(), true);
            proposals.addIfAbsent(change, () -> proposal(change, now + hosts.wait(null)));
            proposals.addIfAbsent(second, () -> proposal(second, now + AGAIN_NANOS + hosts.wait(null)));
        }
        proposals.removeIf(done::contains);
    }

    private ScheduledProposal proposal(Change change, long when) {
        return new ScheduledProposal(when, this::topicsSeen, () -> done.add(change));
    }

    /** The topics are listed after the newest state was read, so no process can have told the group of newer ones. */
    private Command topicsSeen(Group group) {
        var present = topics.of(group);
        return present.equals(group.topics()) ? null : new Command.TopicsSeen(present);
    }

    void clear() {
        newest = null;
    }
}
