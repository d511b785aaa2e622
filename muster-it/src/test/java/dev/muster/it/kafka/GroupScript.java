package dev.muster.it.kafka;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * Random requests of correct and incorrect clients of one group, based on their knowledge.
 *
 * <p>Two cases are left out, in which Kafka's answer depends on hashes of random ids: the next leader after the leader
 * left, and the choice between protocols with equal votes.
 */
final class GroupScript {
    static final List<String> TOPICS = List.of("orders", "bills");
    private static final List<String> PROTOCOLS = List.of("sticky", "range", "roundrobin");
    private static final int MINUTE_MS = 60_000;
    private static final String ASIDE = "aside";
    /** An id that no member has. */
    static final String NOBODY = "nobody";

    /** A client, with its view of the group. */
    private static final class Seat {
        private final String client;
        private final Optional<String> instance;
        private String type = "consumer";
        private String member = "";
        private int generation = -1;
        private String protocol = "";
        private List<String> fellows = List.of();
        private final List<JoinGroupRequestProtocol> protocols = new ArrayList<>();

        private Seat(String client, Optional<String> instance) {
            this.client = client;
            this.instance = instance;
        }
    }

    private final Random random;
    private final String group;
    private final Comparison comparison;
    private final BrokerSide muster;
    private final OffsetSteps offsets;
    private final List<Seat> seats = new ArrayList<>();
    private final Set<String> members = new LinkedHashSet<>();
    /** The leader, if known. */
    private Optional<String> leader = Optional.empty();
    /** The generation in which a static member may have been replaced by one with another subscription. */
    private int replacedIn = -1;

    GroupScript(Random random, String group, Comparison comparison, BrokerSide muster) {
        this.random = random;
        this.group = group;
        this.comparison = comparison;
        this.muster = muster;
        this.offsets = new OffsetSteps(random, group);
        for (String client : List.of("a", "b", "c", "d")) {
            seats.add(new Seat(client, oneIn(3) ? Optional.of("i" + random.nextInt(2)) : Optional.empty()));
        }
    }

    void play(int steps) throws Exception {
        for (int i = 0; i < steps; i++) {
            for (Comparison.Answer answer : comparison.run(next())) {
                heard(answer);
            }
        }
    }

    private GroupStep next() {
        Seat seat = any(seats);
        boolean free = !comparison.waits(seat.client);
        int dice = random.nextInt(100);
        if (dice < 60 && free) {
            return wellBehaved(seat);
        }
        if (dice < 68 && free) {
            return join(seat);
        }
        if (dice < 74 && free) {
            return sync(seat);
        }
        if (dice < 80) {
            return heartbeat(seat);
        }
        if (dice < 86 && mayLeave(seat)) {
            return leave(seat);
        }
        if (dice < 96) {
            return offsets.any(seat.member, seat.instance, seat.generation);
        }
        return tool();
    }

    /** The next request of a correct client. */
    private GroupStep wellBehaved(Seat seat) {
        String state = comparison.state().groupState();
        boolean in = members.contains(seat.member);
        if (in && state.equals("CompletingRebalance")) {
            return sync(seat);
        }
        if (in && state.equals("Stable")) {
            return oneIn(2) ? offsets.any(seat.member, seat.instance, seat.generation) : heartbeat(seat);
        }
        return join(seat);
    }

    private void heard(Comparison.Answer answer) {
        if (answer.message() instanceof JoinGroupResponseData join) {
            Seat seat = seats.stream()
                    .filter(one -> one.client.equals(answer.step().client()))
                    .findFirst()
                    .orElseThrow();
            if (join.errorCode() == 0) {
                if (seat.instance.isPresent()) {
                    members.removeIf(name -> name.startsWith(seat.client + "."));
                }
                seat.member = muster.name(join.memberId());
                seat.generation = join.generationId();
                seat.protocol = join.protocolName();
                seat.fellows = join.members().stream()
                        .map(fellow -> muster.name(fellow.memberId()))
                        .toList();
                members.add(seat.member);
                leader = Optional.of(muster.name(join.leader()));
            } else if (!join.memberId().isEmpty()
                    && !muster.name(join.memberId()).equals(NOBODY)) {
                seat.member = muster.name(join.memberId());
            }
        }
    }

    // Members

    private GroupStep join(Seat seat) {
        int version = random.nextInt(10);
        boolean asStatic = seat.instance.isPresent() && version >= 5;
        if (seat.protocols.isEmpty() || oneIn(5)) {
            chooseProtocols(seat);
        }
        String member = oneIn(12) ? NOBODY : oneIn(12) ? "" : seat.member;
        if (asStatic && member.isEmpty()) {
            // The member may replace the leader, and no client learns of the new one.
            leader = Optional.empty();
            replacedIn = generation();
        }
        JoinGroupRequestData.JoinGroupRequestProtocolCollection protocols =
                new JoinGroupRequestData.JoinGroupRequestProtocolCollection();
        seat.protocols.forEach(protocol -> protocols.add(protocol.duplicate()));
        List<String> names =
                seat.protocols.stream().map(JoinGroupRequestProtocol::name).toList();
        int session = oneIn(30) ? 10 : 3 * MINUTE_MS;
        String words = "join as \"" + member + "\"" + (asStatic ? " " + seat.instance.get() : "") + " " + seat.type
                + names + " session " + session;
        String type = seat.type;
        return new GroupStep(
                seat.client,
                version,
                side -> {
                    JoinGroupRequestData request = new JoinGroupRequestData()
                            .setGroupId(group)
                            .setSessionTimeoutMs(session)
                            .setRebalanceTimeoutMs(version >= 1 ? 5 * MINUTE_MS : -1)
                            .setMemberId(side.id(member))
                            .setProtocolType(type)
                            .setProtocols(protocols.duplicate());
                    return asStatic ? request.setGroupInstanceId(seat.instance.get()) : request;
                },
                words);
    }

    /** The newest generation that a client knows. */
    private int generation() {
        return seats.stream().mapToInt(seat -> seat.generation).max().orElse(-1);
    }

    private void chooseProtocols(Seat seat) {
        seat.type = oneIn(15) ? "connect" : oneIn(30) ? "" : "consumer";
        seat.protocols.clear();
        // A client has the same subscription under all protocols: see KnownDifference for the other case.
        byte[] metadata = metadata();
        for (String protocol : PROTOCOLS) {
            if (random.nextInt(4) > 0) {
                seat.protocols.add(
                        new JoinGroupRequestProtocol().setName(protocol).setMetadata(metadata));
            }
        }
    }

    private byte[] metadata() {
        if (oneIn(10)) {
            return new byte[random.nextInt(3)];
        }
        ConsumerProtocolSubscription subscription = new ConsumerProtocolSubscription();
        TOPICS.stream().filter(topic -> oneIn(2)).forEach(subscription.topics()::add);
        ByteBuffer bytes = MessageUtil.toVersionPrefixedByteBuffer((short) random.nextInt(4), subscription);
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        return array;
    }

    private GroupStep sync(Seat seat) {
        int version = random.nextInt(6);
        int generation = generation(seat);
        // Not with the id of another client: see KnownDifference for members that wait twice.
        String member = oneIn(12) ? NOBODY : seat.member;
        Optional<String> instance = version >= 3 ? instance(seat) : Optional.empty();
        String type = version < 5 || oneIn(12) ? null : oneIn(12) ? "connect" : seat.type;
        String protocol = version < 5 || oneIn(12) ? null : oneIn(12) ? "other" : seat.protocol;
        List<String> fellows = seat.fellows.stream().filter(any -> !oneIn(8)).toList();
        byte[] assignment = {(byte) random.nextInt(3), 7};
        return new GroupStep(
                seat.client,
                version,
                side -> {
                    SyncGroupRequestData request = new SyncGroupRequestData()
                            .setGroupId(group)
                            .setMemberId(side.id(member))
                            .setGroupInstanceId(instance.orElse(null))
                            .setGenerationId(generation)
                            .setProtocolType(type)
                            .setProtocolName(protocol);
                    fellows.forEach(fellow -> request.assignments()
                            .add(new SyncGroupRequestAssignment()
                                    .setMemberId(side.id(fellow))
                                    .setAssignment(assignment)));
                    return request;
                },
                "sync as \"" + member + "\" " + instance + " generation " + generation + " " + type + "/" + protocol
                        + " for " + fellows);
    }

    private GroupStep heartbeat(Seat seat) {
        int version = random.nextInt(5);
        int generation = generation(seat);
        String member = member(seat);
        Optional<String> instance = version >= 3 ? instance(seat) : Optional.empty();
        return aside(
                version,
                side -> new HeartbeatRequestData()
                        .setGroupId(group)
                        .setMemberId(side.id(member))
                        .setGroupInstanceId(instance.orElse(null))
                        .setGenerationId(generation),
                "heartbeat of \"" + member + "\" " + instance + " generation " + generation);
    }

    private boolean mayLeave(Seat seat) {
        boolean syncs =
                comparison.waits(seat.client) && comparison.state().groupState().equals("CompletingRebalance");
        return !syncs && isLeaderClearWithout(seat);
    }

    private boolean isLeaderClearWithout(Seat seat) {
        return comparison.state().members().size() <= 2
                || leader.filter(who -> members.contains(who) && !who.equals(seat.member))
                        .isPresent();
    }

    private GroupStep leave(Seat seat) {
        int version = random.nextInt(6);
        // See KnownDifference for clients that leave with an unused id.
        boolean in = members.contains(seat.member);
        String member = oneIn(8) || !in ? NOBODY : seat.member;
        if (version < 3) {
            members.remove(member);
            return aside(
                    version,
                    side -> new LeaveGroupRequestData().setGroupId(group).setMemberId(side.id(member)),
                    "leave of \"" + member + "\"");
        }
        Optional<String> instance = instance(seat);
        boolean byInstance = instance.isPresent()
                && oneIn(3)
                && comparison.state().members().size() <= 2
                && !comparison.state().groupState().equals("CompletingRebalance");
        String named = byInstance ? "" : member;
        boolean twoAtOnce = oneIn(4);
        members.remove(member);
        if (byInstance) {
            members.clear();
        }
        return aside(
                version,
                side -> {
                    LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId(group);
                    request.members()
                            .add(new MemberIdentity()
                                    .setMemberId(side.id(named))
                                    .setGroupInstanceId(instance.orElse(null)));
                    if (twoAtOnce) {
                        request.members().add(new MemberIdentity().setMemberId(NOBODY));
                    }
                    return request;
                },
                "leave of \"" + named + "\" " + instance + (twoAtOnce ? " and of nobody" : ""));
    }

    // Tools

    private GroupStep tool() {
        String named = oneIn(5) ? "no-such-group" : group;
        return switch (random.nextInt(4)) {
            case 0 -> {
                DescribeGroupsRequestData request = new DescribeGroupsRequestData();
                request.groups().add(named);
                // Before version 4 the answer does not show static members, whose clients are not compared.
                int version = named.equals(group) ? 4 + random.nextInt(3) : random.nextInt(7);
                yield aside(version, side -> request, "describe " + named);
            }
            case 1 -> {
                int version = random.nextInt(6);
                ListGroupsRequestData request = new ListGroupsRequestData();
                if (version >= 4 && oneIn(2)) {
                    request.statesFilter().add(oneIn(2) ? "Stable" : "preparingrebalance");
                }
                if (version >= 5 && oneIn(2)) {
                    request.typesFilter().add(oneIn(3) ? "consumer" : "Classic");
                }
                yield aside(version, side -> request, "list " + request);
            }
            case 2 -> {
                DeleteGroupsRequestData request = new DeleteGroupsRequestData();
                request.groupsNames().add(named);
                yield aside(random.nextInt(3), side -> request, "delete " + named);
            }
            // See KnownDifference for offsets that are deleted while members join, or after one was replaced.
            default ->
                comparison.state().groupState().equals("PreparingRebalance") || replacedIn == generation()
                        ? heartbeat(any(seats))
                        : offsets.delete(named);
        };
    }

    // Chance

    private String member(Seat seat) {
        return oneIn(12) ? NOBODY : oneIn(15) ? any(seats).member : seat.member;
    }

    private int generation(Seat seat) {
        return oneIn(12) ? seat.generation - 1 : oneIn(20) ? 77 : seat.generation;
    }

    private Optional<String> instance(Seat seat) {
        return oneIn(15) ? Optional.of("i0") : oneIn(15) ? Optional.of("i9") : seat.instance;
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    private <T> T any(List<T> those) {
        return those.get(random.nextInt(those.size()));
    }

    private static GroupStep aside(int version, Function<BrokerSide, ApiMessage> request, String words) {
        return new GroupStep(ASIDE, version, request, words);
    }
}
