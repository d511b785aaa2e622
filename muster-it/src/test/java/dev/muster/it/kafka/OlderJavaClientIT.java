package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Kafka's own Java client of the last 3.x version, in separate processes. */
class OlderJavaClientIT extends ClientContract {
    @Override
    void requireClient() {
        Programs.requireJars("java");
    }

    @Override
    List<String> compressions() {
        return List.of("none", "gzip", "snappy", "lz4", "zstd");
    }

    private static List<String> java(Stream<String> arguments) {
        return Stream.concat(Programs.java("java", JavaMember.class.getName()).stream(), arguments)
                .toList();
    }

    @Override
    List<String> producing(String address, String topic, String compression) {
        return java(Stream.of("produce", address, topic, compression));
    }

    @Override
    List<String> consuming(String address, String topic, String... settings) {
        return java(Stream.concat(Stream.of("consume", address, topic, GROUP), Stream.of(settings)));
    }

    @Test
    void theClientIsTheOlderVersion() throws Exception {
        assertThat(ForeignProcess.run(java(Stream.of("version"))))
                .last()
                .asString()
                .startsWith("3.9.");
    }

    @Test
    void aKilledStaticMemberReturnsWithoutARebalance() throws Exception {
        ForeignProcess first = join("group.instance.id=one");
        ForeignProcess second = join("group.instance.id=two");
        awaitShared(2);
        awaitReadOnce(produce(), first, second);
        List<String> moves = moves(first);
        second.kill();
        Set<String> meanwhile = produce();
        ForeignProcess again = join("group.instance.id=two");
        awaitRead(meanwhile, first, again);
        assertThat(values(again)).containsAnyElementsOf(meanwhile);
        assertThat(moves(first)).as("what moved at the other").isEqualTo(moves);
    }

    @Test
    void aCooperativeMemberKeepsPartitionsThatDoNotMove() throws Exception {
        String cooperative =
                "partition.assignment.strategy=" + "org.apache.kafka.clients.consumer.CooperativeStickyAssignor";
        ForeignProcess first = join(cooperative);
        awaitShared(1);
        ForeignProcess second = join(cooperative);
        awaitShared(2);
        ForeignProcess third = join(cooperative);
        awaitShared(3);
        awaitReadOnce(produce(), first, second, third);
        assertThat(moves(first))
                .as("never lost more than others got")
                .containsExactly("assigned 6", "revoked 3", "revoked 1");
        third.leave();
        awaitShared(2);
        awaitReadOnce(produce(), first, second);
        assertThat(moves(first)).last().isEqualTo("assigned 1");
    }

    /** The assignments and revocations of a member. */
    private static List<String> moves(ForeignProcess member) {
        return member.lines().stream()
                .filter(line -> line.matches("(assigned|revoked) [1-9].*"))
                .toList();
    }
}
