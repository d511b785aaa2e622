package dev.muster.testkit.sim;

import dev.muster.core.TopicPartition;
import dev.muster.engine.group.RemoteAnswer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The part of the referee that knows wire clients: it stands at the server's door and at the clients, and sees who said
 * what to whom.
 */
final class WireJudge {
    private static final long SLACK_NANOS = 100_000_000;
    private static final long BACK_NANOS = 500_000_000;
    /** Somebody may be out so long after the last thing that could be said against it: its expulsion was on the way. */
    private static final long LATE_NANOS = 3_000_000_000L;

    private final Simulation sim;
    private final Referee referee;
    private final Map<String, WireClient> clients = new TreeMap<>();
    private final Map<String, Heard> heard = new HashMap<>();
    private final Map<Long, Long> hungUp = new HashMap<>();
    private final Map<String, Long> awaySince = new HashMap<>();
    private final List<ServerActor> serving = new ArrayList<>();
    private long lateCommits;

    /** The last sign of life of a member at a door, and the silence before it. */
    private record Heard(long at, long connection, long connectionBefore, long silenceEnd, long silence) {}

    /** A heartbeat that is being answered. */
    record Hearing(WireRequest.Beat beat, long at) {
        String member() {
            return beat.member().value();
        }
    }

    WireJudge(Simulation sim, Referee referee) {
        this.sim = sim;
        this.referee = referee;
    }

    void client(WireClient client) {
        clients.put(client.memberId(), client);
    }

    boolean knows(String member) {
        return clients.containsKey(member);
    }

    void surprise(String what) {
        referee.broken(Invariant.NO_SURPRISE, what);
    }

    private Books books() {
        return referee.books();
    }

    // At the door

    /** A server lets clients in. */
    void serves(ServerActor server) {
        serving.removeIf(other -> !other.isServing());
        if (!serving.isEmpty()) {
            referee.broken(Invariant.ONE_SERVER, server + " serves, and so do " + serving);
        }
        serving.add(server);
    }

    Hearing hears(WireRequest.Beat beat, long connection) {
        referee.mayLook();
        heard.compute(beat.member().value(), (_, last) -> {
            if (last == null) {
                return new Heard(sim.now(), connection, connection, sim.now(), 0);
            }
            boolean longer = sim.now() - last.at() > ServerActor.SESSION.toNanos() / 2;
            return new Heard(
                    sim.now(),
                    connection,
                    last.connection(),
                    longer ? sim.now() : last.silenceEnd(),
                    longer ? sim.now() - last.at() : last.silence());
        });
        return new Hearing(beat, sim.now());
    }

    void theyHungUp(long connection) {
        hungUp.put(connection, sim.now());
    }

    /** A member is about to be told this. */
    void tells(Hearing hearing, RemoteAnswer.In in) {
        referee.look();
        if (referee.isBlind()) {
            return;
        }
        String member = hearing.member();
        if (!books().hosts.containsKey(member) && !wasOutSince(member, hearing.at())) {
            referee.broken(
                    Invariant.MEMBERS_ONLY, member + " is not in the group, and is told to go on at " + in.epoch());
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

    /** A member is about to be told that it is out. */
    void letsGo(Hearing hearing) {
        referee.look();
        if (hearing.beat().epoch() == -1 && !referee.isBlind()) {
            referee.promisesLeave(hearing.member());
        }
    }

    /** A commit is about to be acknowledged. */
    void commits(WireRequest.Commit asked, long since, String partition, long offset) {
        String member = asked.member().value();
        referee.look();
        if (books().wasRecalledSince(partition, since)) {
            // Answered as if it had come before the offset was set by hand, and not written.
            return;
        }
        referee.acknowledged(member, partition, offset);
        if (member.equals(books().owners.get(partition))
                && books().grant(partition).generation() > asked.epoch()
                && books().grant(partition).at() < since) {
            referee.broken(
                    Invariant.FENCED_COMMIT,
                    member + " commits " + partition + " in epoch " + asked.epoch() + " and owns it since "
                            + books().grant(partition).generation());
        }
    }

    // At the clients

    /** @param before 0: it was not in the group */
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

    /** Whether a member that lost a partition may work it all the same: it is out, and has not heard of it. */
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

    /** The journal says that a member has let go of a partition. */
    void released(String member, String partition) {
        WireClient client = clients.get(member);
        if (client == null || client.hasEnded() || !books().hosts.containsKey(member)) {
            return;
        }
        String topic = books().topics.get(partition.substring(0, partition.indexOf(':')));
        boolean works = client.works().stream().anyMatch(held -> is(held, partition, topic));
        boolean takes = client.takes().stream().anyMatch(held -> is(held, partition, topic));
        if (works || takes) {
            referee.broken(
                    Invariant.LET_GO_BY_ITSELF,
                    partition + " is taken from " + member + ", who " + (works ? "works it" : "is about to take it"));
        }
    }

    private static boolean is(Held held, String partition, String topic) {
        return held.name().equals(partition) && held.topic().toString().equals(topic);
    }

    /** A commit leads back. @return whether it came late from an owner that has sent a newer one since */
    boolean isLate(String member, String lastCommitter) {
        boolean late = clients.containsKey(member) && member.equals(lastCommitter);
        lateCommits += late ? 1 : 0;
        return late;
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

    /** A wire member is out. */
    void left(String member, HostActor server, String cause) {
        Heard last = heard.get(member);
        boolean right = switch (cause) {
            case "LEFT", "REVOKE_TIMED_OUT" -> true;
            case "SESSION_EXPIRED" ->
                last == null
                        || wasSilent(last, ServerActor.SESSION.toNanos() - SLACK_NANOS)
                        || server.wasSilent(ServerActor.SESSION.toNanos() - SLACK_NANOS, LATE_NANOS);
            case "CONNECTION_LOST" -> last != null && didHangUp(last);
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
        // It may have come back while its expulsion was being written.
        boolean justBack = sim.now() - last.at() < BACK_NANOS;
        return hungUp.containsKey(last.connection()) || justBack && hungUp.containsKey(last.connectionBefore());
    }
}
