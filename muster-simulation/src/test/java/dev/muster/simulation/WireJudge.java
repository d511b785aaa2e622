package dev.muster.simulation;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.engine.group.remote.RemoteAnswer;
import dev.muster.testkit.sim.SimProcess;
import dev.muster.testkit.sim.Simulation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The part of the referee for wire clients: it checks the requests and answers at the server and at the clients. */
final class WireJudge {
    private static final long SLACK_NANOS = 100_000_000;
    private static final long BACK_NANOS = 500_000_000;
    private static final long NO_CONNECTION = -1;
    /** The longest wait for a rebalance: the timeout of its members, and the delay of the process that ends it. */
    private static final long WAIT_NANOS_MAX = ClassicClient.REBALANCE.toNanos() + 1_500_000_000;
    /** The delay after which a justified expulsion may still take effect, because it was in flight. */
    private static final long LATE_NANOS = 3_000_000_000L;

    private final Simulation sim;
    private final Referee referee;
    private final Map<String, WireClient> clients = new TreeMap<>();
    /** The prefixes of the ids of classic clients, which are members before they receive their ids. */
    private final Set<String> names = new TreeSet<>();

    private final Set<Waiting> waiting = new LinkedHashSet<>();
    private final Map<String, Heard> heard = new HashMap<>();
    private final Map<Long, Long> hungUp = new HashMap<>();
    private final Map<String, Long> awaySince = new HashMap<>();
    private final List<ServerActor> serving = new ArrayList<>();
    private long lateCommits;

    /** The last sign of life of a member at a door, and the silence before it. */
    private record Heard(long at, long connection, long connectionBefore, long silenceEnd, long silence) {}

    /** A request in progress. */
    record Hearing(String member, long at) {}

    /** A join in progress. Its member is empty if it has no id yet. */
    public static final class Waiting {
        private final String member;
        private final Network.Connection connection;
        private final SimProcess server;
        private final long at;

        private Waiting(String member, Network.Connection connection, SimProcess server, long at) {
            this.member = member;
            this.connection = connection;
            this.server = server;
            this.at = at;
        }
    }

    WireJudge(Simulation sim, Referee referee) {
        this.sim = sim;
        this.referee = referee;
    }

    void client(WireClient client) {
        clients.put(client.memberId(), client);
    }

    /** Adds a prefix of member ids. */
    void name(String name) {
        names.add(name);
    }

    boolean knows(String member) {
        return clients.containsKey(member) || names.stream().anyMatch(name -> member.startsWith(name + "-"));
    }

    /** The client of this member id; empty if the client has another id now, or none yet. */
    private Optional<WireClient> client(String member) {
        return Optional.ofNullable(clients.get(member))
                .filter(client -> !client.hasEnded() && client.memberId().equals(member));
    }

    void surprise(String what) {
        referee.broken(Invariant.NO_SURPRISE, what);
    }

    private Books books() {
        return referee.books();
    }

    // At the door

    /** Notes that a server accepts clients. */
    void serves(ServerActor server) {
        serving.removeIf(other -> !other.isServing());
        if (!serving.isEmpty()) {
            referee.broken(Invariant.ONE_SERVER, server + " serves, and so do " + serving);
        }
        serving.add(server);
    }

    /** Notes a periodic sign of life. */
    Hearing hears(MemberId member, long connection) {
        heard(member.value(), Optional.of(connection));
        return new Hearing(member.value(), sim.now());
    }

    /** Notes a request that is a sign of life only if it is not refused. */
    Hearing hears(MemberId member) {
        referee.mayLook();
        return new Hearing(member.value(), sim.now());
    }

    /** Notes that the heartbeat of a classic member was accepted, or answered with a call to join. */
    void lives(Hearing hearing, long connection) {
        heard(hearing.member(), Optional.of(connection));
    }

    private void heard(String member, Optional<Long> over) {
        referee.mayLook();
        heard.compute(member, (_, last) -> {
            if (last == null) {
                long connection = over.orElse(NO_CONNECTION);
                return new Heard(sim.now(), connection, connection, sim.now(), 0);
            }
            if (over.isPresent() && over.get() < last.connection()) {
                // The request was delayed, and is no present sign of life.
                return last;
            }
            boolean longer = sim.now() - last.at() > ServerActor.SESSION.toNanos() / 2;
            return new Heard(
                    sim.now(),
                    over.orElse(last.connection()),
                    over.isPresent() ? last.connection() : last.connectionBefore(),
                    longer ? sim.now() : last.silenceEnd(),
                    longer ? sim.now() - last.at() : last.silence());
        });
    }

    /** Notes a classic join, which may wait for all other members. */
    Waiting waits(String member, Network.Connection connection, SimProcess server) {
        referee.mayLook();
        Waiting one = new Waiting(member, connection, server, sim.now());
        waiting.add(one);
        return one;
    }

    void isAnswered(Waiting one) {
        waiting.remove(one);
    }

    /**
     * Checks an answer to a join.
     *
     * @param assigns True if the answer lists the other members
     */
    void admits(Waiting one, MemberId member, long generation, boolean assigns) {
        waiting.remove(one);
        heard(member.value(), Optional.empty());
        // A server uses the connection of the join until a heartbeat arrives over another one.
        heard(member.value(), Optional.of(one.connection.number));
        if (!isMember(member.value(), one.at, "is told of generation " + generation)) {
            return;
        }
        referee.actsOn(member.value(), generation);
        if (assigns) {
            String leader = referee.present().leaders.putIfAbsent(generation, member.value());
            if (leader != null && !leader.equals(member.value())) {
                referee.broken(
                        Invariant.ONE_LEADER,
                        member + " is to assign in generation " + generation + ", and so was " + leader);
            }
        }
    }

    /** True if the client is a member, or was one at the time of its request; otherwise it must not get this answer. */
    private boolean isMember(String member, long since, String told) {
        referee.look();
        if (referee.isBlind()) {
            return false;
        }
        if (!books().hosts.containsKey(member) && !wasOutSince(member, since)) {
            referee.broken(Invariant.MEMBERS_ONLY, member + " is not in the group, and " + told);
            return false;
        }
        return true;
    }

    /** Checks an answer with the leader's assignment. */
    void assigns(Hearing hearing, SortedSet<TopicPartition> partitions) {
        heard(hearing.member(), Optional.empty());
        if (!isMember(hearing.member(), hearing.at(), "is given " + partitions)) {
            return;
        }
        for (TopicPartition one : partitions) {
            String partition = one.topic() + ":" + one.partition();
            String owner = books().owners.get(partition);
            Long lost = books().lostAt(partition, hearing.member());
            if (hearing.member().equals(owner)) {
                referee.promises(books().grant(partition).version());
            } else if (owner != null && (lost == null || lost < hearing.at())) {
                referee.broken(
                        Invariant.TOLD_OWN, hearing.member() + " is given " + partition + ", which " + owner + " owns");
            }
        }
    }

    /** Checks an assignment of a modern group to a classic member. */
    void gives(Hearing hearing, long generation, SortedSet<TopicPartition> partitions) {
        heard(hearing.member(), Optional.empty());
        if (isMember(hearing.member(), hearing.at(), "is given " + partitions)) {
            partitions.forEach(one -> tells(hearing, one.topic() + ":" + one.partition(), generation));
        }
    }

    /** Checks an answer to a classic heartbeat without a rebalance. */
    void letsGoOn(Hearing hearing) {
        boolean in = isMember(hearing.member(), hearing.at(), "is told to go on");
        Long since = books().callsSince();
        if (in && since != null && since < hearing.at() - referee.staleNanos()) {
            referee.broken(
                    Invariant.CALLED_BACK,
                    hearing.member() + " is told to go on, though all should come back for "
                            + (sim.now() - since) / 1_000_000 + " ms");
        }
    }

    /** Checks a classic commit before its acknowledgement. */
    void checkGeneration(Hearing hearing, long named) {
        heard(hearing.member(), Optional.empty());
        if (isMember(hearing.member(), hearing.at(), "commits")
                && books().isClassic(hearing.member())
                && !books().mayNameOlder(hearing.member())
                && named < books().generation
                && books().generationAt < hearing.at()) {
            referee.broken(
                    Invariant.FENCED_COMMIT,
                    hearing.member() + " commits in generation " + named + ", the group is at " + books().generation);
        }
    }

    void checkNobodyIsLeftWaiting() {
        waiting.removeIf(one -> one.server.hasEnded() || one.connection.isOver());
        for (Waiting one : waiting) {
            long since = Math.max(one.at, one.server.lastContinued());
            if (!one.server.isStopped() && sim.now() - since > WAIT_NANOS_MAX) {
                referee.broken(
                        Invariant.NOBODY_LEFT_WAITING,
                        "a join of \"" + one.member + "\" waits for " + (sim.now() - since) / 1_000_000 + " ms");
            }
        }
    }

    void theyHungUp(long connection) {
        hungUp.put(connection, sim.now());
    }

    /** Checks an answer to a heartbeat. */
    void tells(Hearing hearing, RemoteAnswer.In in) {
        String member = hearing.member();
        if (!isMember(member, hearing.at(), "is told to go on at " + in.epoch())) {
            return;
        }
        referee.actsOn(member, in.epoch());
        for (TopicPartition partition : in.partitions().orElse(Collections.emptySortedSet())) {
            tells(hearing, partition.topic() + ":" + partition.partition(), in.epoch());
        }
    }

    private boolean wasOutSince(String member, long since) {
        Long out = books().outAt(member);
        return out != null && out >= since;
    }

    private void tells(Hearing hearing, String partition, long epoch) {
        String member = hearing.member();
        if (member.equals(books().owners.get(partition))) {
            Books.Grant grant = books().grant(partition);
            if (grant.generation() > epoch) {
                referee.broken(
                        Invariant.TOLD_OWN,
                        member + " is told " + partition + " at " + epoch + ", and owns it since "
                                + grant.generation());
            }
            referee.promises(grant.version());
        } else {
            Long lost = books().lostAt(partition, member);
            if (lost == null || lost < hearing.at()) {
                referee.broken(
                        Invariant.TOLD_OWN,
                        member + " is told " + partition + ", which "
                                + books().owners.get(partition) + " owns");
            }
        }
    }

    /** Checks the answer to a final leave. */
    void letsGo(Hearing hearing) {
        referee.look();
        if (!referee.isBlind()) {
            referee.promisesLeave(hearing.member());
        }
    }

    /** Checks a commit before its acknowledgement. */
    void commits(WireRequest.Commit asked, long since, String partition, long offset) {
        String member = asked.member().value();
        referee.look();
        if (books().wasRecalledSince(partition, since)) {
            // The commit is answered as if it had arrived before the offset was set by hand, and not written.
            return;
        }
        referee.acknowledged(member, partition, offset);
        if (member.equals(books().owners.get(partition))
                && !books().isClassic(member)
                && books().grant(partition).generation() > asked.epoch()
                && books().grant(partition).at() < since) {
            referee.broken(
                    Invariant.FENCED_COMMIT,
                    member + " commits " + partition + " in epoch " + asked.epoch() + " and owns it since "
                            + books().grant(partition).generation());
        }
    }

    // At the clients

    /** @param before the former epoch; 0 if the client was not in the group */
    void hearsEpoch(WireClient client, long before, long now) {
        if (now < before) {
            referee.broken(Invariant.EPOCH_RISES, client + " is at " + before + " and is told " + now);
        }
    }

    void handsOut(WireClient client, Held held) {
        referee.handsOut(client, held);
    }

    void processed(long number, long offset) {
        referee.processed(number, offset);
    }

    // In the journal

    /** True if a member may still process a partition that it lost: it is expelled, and does not know it yet. */
    boolean mayStillWork(WireClient client, String partition) {
        Long lost = books().lostAt(partition, client.memberId());
        Optional<Long> since = client.worksSince(partition);
        return lost != null
                && since.isPresent()
                && since.get() <= lost
                && !books().lostByRelease(partition, client.memberId());
    }

    void checkNobodyElseWorks(String member, String partition, String place) {
        for (WireClient other : clients.values()) {
            if (!other.memberId().equals(member)
                    && other.inHand().filter(place::equals).isPresent()
                    && books().hosts.containsKey(other.memberId())
                    && !mayStillWork(other, partition)) {
                referee.broken(
                        Invariant.ONE_OWNER,
                        partition + " is handed out by " + member + " while " + other
                                + ", who is in the group, works on it");
            }
        }
    }

    /** Checks a release in the journal. */
    void released(String member, String partition) {
        Optional<WireClient> client = client(member);
        if (client.isEmpty() || !books().hosts.containsKey(member)) {
            return;
        }
        boolean works = works(client.get(), partition);
        String topic = topicOf(partition);
        boolean takes = client.get().takes().stream().anyMatch(held -> is(held, partition, topic));
        if (works || takes) {
            referee.broken(
                    Invariant.LET_GO_BY_ITSELF,
                    partition + " is taken from " + member + ", who " + (works ? "works it" : "is about to take it"));
        }
    }

    private String topicOf(String partition) {
        return books().topics.get(partition.substring(0, partition.indexOf(':')));
    }

    private boolean works(WireClient client, String partition) {
        String topic = topicOf(partition);
        return client.works().stream().anyMatch(held -> is(held, partition, topic));
    }

    /** Checks a partition that a leader assigned. The other members at the barrier have released it before. */
    void assigned(String member, String partition) {
        for (String other : books().present()) {
            if (!other.equals(member)
                    && client(other).filter(client -> works(client, partition)).isPresent()) {
                referee.broken(
                        Invariant.ONE_OWNER, partition + " is given to " + member + " while " + other + " works it");
            }
        }
    }

    /**
     * Handles a group that became modern. A member that was called to the barrier and did not join keeps an unknown set
     * of partitions.
     */
    void becameModern() {
        for (String member : books().present()) {
            client(member)
                    .ifPresent(client -> client.works().stream()
                            .filter(held -> held.topic().toString().equals(topicOf(held.name())))
                            .filter(held -> !member.equals(books().owners.get(held.name())))
                            .forEach(held -> referee.broken(
                                    Invariant.LET_GO_BY_ITSELF,
                                    held + " is worked by " + member + " when the group becomes modern, and owned by "
                                            + books().owners.get(held.name()))));
        }
    }

    private static boolean is(Held held, String partition, String topic) {
        return held.name().equals(partition) && held.topic().toString().equals(topic);
    }

    /**
     * Checks a commit that lowers the offset.
     *
     * @return True if it is a late commit of an owner that has sent a newer one since
     */
    boolean isLate(String member, String lastCommitter) {
        boolean late = clients.containsKey(member) && member.equals(lastCommitter);
        lateCommits += late ? 1 : 0;
        return late;
    }

    /**
     * True if a wire member committed a partition up to its end, and a late commit of its own lowered that. The
     * member's newer commit was acknowledged, so the member does not repeat it.
     */
    boolean wasLoweredByLateCommit(String partition, long end) {
        String committer = books().lastCommitter(partition);
        return committer != null
                && books().reached(partition) == end
                && client(committer)
                        .flatMap(client -> client.committed(partition))
                        .filter(committed -> committed == end)
                        .isPresent();
    }

    long lateCommits() {
        return lateCommits;
    }

    void away(String member) {
        awaySince.put(member, sim.now());
    }

    void joined(String member) {
        awaySince.remove(member);
    }

    /** Checks the expulsion or leave of a wire member. */
    void left(String member, HostActor server, String cause) {
        Heard last = heard.get(member);
        boolean right = switch (cause) {
            case "LEFT", "REVOKE_TIMED_OUT", "REBALANCE_TIMED_OUT", "SYNC_TIMED_OUT", "JOIN_TIMED_OUT" -> true;
            case "SESSION_EXPIRED" ->
                last == null
                        || wasSilent(last, ServerActor.SESSION.toNanos() - SLACK_NANOS)
                        || server.wasSilent(ServerActor.SESSION.toNanos() - SLACK_NANOS, LATE_NANOS);
            case "CONNECTION_LOST" -> last != null && didHangUp(last);
            case "RESET_NOT_HEARD" -> books().owesAReset(member);
            case "STAYED_AWAY" ->
                awaySince.containsKey(member)
                        && sim.now() - awaySince.get(member) >= ServerActor.SESSION.toNanos() - SLACK_NANOS;
            default -> false;
        };
        if (!right) {
            referee.broken(
                    Invariant.LIVING_STAY,
                    member + ", at the far end of a connection, is out (" + cause + ") and was heard of "
                            + (last == null ? "never" : (sim.now() - last.at()) / 1_000_000 + " ms ago"));
        }
    }

    private boolean wasSilent(Heard last, long nanos) {
        return sim.now() - last.at() >= nanos || last.silence() >= nanos && sim.now() - last.silenceEnd() <= LATE_NANOS;
    }

    private boolean didHangUp(Heard last) {
        // The member may have returned while its expulsion was being written.
        boolean justBack = sim.now() - last.at() < BACK_NANOS;
        return hungUp.containsKey(last.connection()) || justBack && hungUp.containsKey(last.connectionBefore());
    }
}
