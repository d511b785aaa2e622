package dev.muster.it.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * Sends the same requests to two brokers. After each step both must have answered the same requests equally, park the
 * same requests, and describe the group equally. Otherwise there is a difference.
 *
 * <p>Nothing is left to time. A request that waits was looked at: the group is in the state that makes it wait, and the
 * broker says so after it got the request. Kafka does one thing after the other, so its second answer to somebody else
 * tells that; Muster has written down in the group's journal that somebody waits.
 */
final class Comparison {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration LONG_PATIENCE = Duration.ofMinutes(3);
    private static final String UNDER_WAY = "under way";
    private static final long PAUSE_NS = 500_000;

    /** A request in progress, with the answers by broker. */
    private record Asked(GroupStep step, Map<BrokerSide, CompletableFuture<ApiMessage>> answers) {}

    /** The equal answer of both brokers. */
    record Answer(GroupStep step, ApiMessage message) {}

    private final BrokerSide muster;
    private final BrokerSide kafka;
    private final List<BrokerSide> sides;
    private final String group;
    private final SequencedMap<String, Asked> waiting = new LinkedHashMap<>();
    private final List<String> transcript = new ArrayList<>();
    private DescribedGroup state = new DescribedGroup();
    private long lastLook = System.nanoTime();
    private long longestPause;

    Comparison(BrokerSide muster, BrokerSide kafka, String group) {
        this.muster = muster;
        this.kafka = kafka;
        this.sides = List.of(muster, kafka);
        this.group = group;
    }

    /** The group as both describe it. */
    DescribedGroup state() {
        return state;
    }

    boolean waits(String client) {
        return waiting.containsKey(client);
    }

    List<String> transcript() {
        return transcript;
    }

    /** The longest time between two checks of the brokers: a long one shows that a process paused. */
    Duration longestPause() {
        return Duration.ofNanos(longestPause);
    }

    private void noteLook() {
        long now = System.nanoTime();
        longestPause = Math.max(longestPause, now - lastLook);
        lastLook = now;
    }

    /**
     * Sends a request to both. Returns the new answers, of this request and of parked ones, in the order of the
     * requests.
     */
    List<Answer> run(GroupStep step) throws Exception {
        transcript.add(step.toString());
        noteLook();
        Map<BrokerSide, CompletableFuture<ApiMessage>> answers = new LinkedHashMap<>();
        Map<BrokerSide, Long> before = new LinkedHashMap<>();
        for (BrokerSide side : sides) {
            before.put(side, side.journal(group));
            answers.put(side, side.send(step.client(), step.request().apply(side), step.version()));
        }
        waiting.put(step.client(), new Asked(step, answers));
        for (BrokerSide side : sides) {
            awaitTaken(side, answers.get(side), before.get(side));
        }
        return awaitAgreement();
    }

    /** Waits, without a request, until the group is in this state. */
    List<Answer> await(String wanted) throws Exception {
        transcript.add("until " + wanted);
        long deadline = System.nanoTime() + LONG_PATIENCE.toNanos();
        for (BrokerSide side : sides) {
            while (!side.describe(group).groupState().equals(wanted)) {
                noteLook();
                if (System.nanoTime() > deadline) {
                    throw difference(
                            side + " is not " + wanted + " after " + LONG_PATIENCE + ": " + side.describe(group));
                }
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        return awaitAgreement();
    }

    /** Waits until the request is answered or parked. */
    private void awaitTaken(BrokerSide side, CompletableFuture<ApiMessage> answer, long journalBefore)
            throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        side.describe(group);
        while (!answer.isDone() && side.journal(group) == journalBefore && side == muster) {
            if (System.nanoTime() > deadline) {
                throw difference(side + " neither answers nor writes down that somebody waits");
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private List<Answer> awaitAgreement() throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            noteLook();
            Optional<String> difference = difference();
            noteLook();
            if (difference.isEmpty()) {
                return take();
            }
            if (System.nanoTime() > deadline) {
                throw difference(difference.get());
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private Optional<String> difference() throws Exception {
        DescribedGroup ours = muster.describe(group);
        DescribedGroup theirs = kafka.describe(group);
        waiting.values().forEach(this::learn);
        for (Asked asked : waiting.values()) {
            String answer = words(muster, asked, ours);
            String other = words(kafka, asked, theirs);
            if (!answer.equals(other) && !KnownDifference.explains(answer, other)) {
                return Optional.of(
                        "differently answered: " + asked.step() + "\n  Muster: " + answer + "\n  Kafka:  " + other);
            }
            if (answer.equals(UNDER_WAY) || other.equals(UNDER_WAY)) {
                return Optional.of("not answered: " + asked.step() + " in " + ours.groupState());
            }
        }
        String described = muster.words(ours);
        String other = kafka.words(theirs);
        if (!described.equals(other) && !KnownDifference.explains(described, other)) {
            return Optional.of("differently described:\n  Muster: " + described + "\n  Kafka:  " + other);
        }
        state = ours;
        return Optional.empty();
    }

    private void learn(Asked asked) {
        for (BrokerSide side : sides) {
            if (asked.answers().get(side).getNow(null) instanceof JoinGroupResponseData join
                    && (join.errorCode() == Errors.NONE.code()
                            || join.errorCode() == Errors.MEMBER_ID_REQUIRED.code())) {
                side.learn(asked.step().client(), join.memberId());
            }
        }
    }

    private String words(BrokerSide side, Asked asked, DescribedGroup group) {
        CompletableFuture<ApiMessage> answer = asked.answers().get(side);
        if (answer.isCompletedExceptionally()) {
            return "closed the connection";
        }
        if (answer.isDone()) {
            return side.words(answer.join());
        }
        ApiKeys api = ApiKeys.forId(asked.step().request().apply(side).apiKey());
        boolean parked = (api == ApiKeys.JOIN_GROUP && group.groupState().equals("PreparingRebalance"))
                || (api == ApiKeys.SYNC_GROUP && group.groupState().equals("CompletingRebalance"));
        return parked ? "waits" : UNDER_WAY;
    }

    private List<Answer> take() {
        List<Answer> answered = new ArrayList<>();
        for (Asked asked : List.copyOf(waiting.values())) {
            CompletableFuture<ApiMessage> answer = asked.answers().get(muster);
            if (answer.isDone()) {
                waiting.remove(asked.step().client());
                if (!answer.isCompletedExceptionally()) {
                    answered.add(new Answer(asked.step(), answer.join()));
                    transcript.add("    " + asked.step().client() + " <- " + muster.words(answer.join()));
                }
            }
        }
        transcript.add("    " + muster.words(state));
        return answered;
    }

    private AssertionError difference(String what) {
        return new AssertionError(what + "\nafter:\n" + String.join("\n", transcript));
    }
}
