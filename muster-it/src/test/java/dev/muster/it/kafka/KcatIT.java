package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** kcat, and so librdkafka, which the clients of many languages use. */
class KcatIT extends ClientContract {
    private static final String FORMAT = "record %p %o %k %s %h\n";

    /** The command of the program. */
    List<String> kcat() {
        return List.of("kcat");
    }

    /** The name of a setting in this client; empty if it has none. */
    Stream<String> understood(String setting) {
        return Stream.of(setting);
    }

    @Override
    void requireClient() throws Exception {
        Programs.require("kcat", "-V");
    }

    @Override
    List<String> compressions() throws Exception {
        return List.of("none", "gzip", "snappy", "lz4", "zstd");
    }

    @Override
    List<String> producing(String address, String topic, String compression) {
        List<String> command = new ArrayList<>(kcat());
        command.addAll(List.of("-b", address, "-P", "-t", topic, "-z", compression));
        command.addAll(List.of("-K", ":", "-Z", "-H", "tenant=blue", "-H", "trace=7"));
        return command;
    }

    @Override
    List<String> consuming(String address, String topic, String... settings) {
        List<String> command = new ArrayList<>(kcat());
        command.addAll(List.of("-b", address, "-u", "-Z", "-f", FORMAT, "-X", "auto.offset.reset=earliest"));
        Stream.concat(Stream.of("heartbeat.interval.ms=300"), Stream.of(settings))
                .flatMap(this::understood)
                .forEach(setting -> command.addAll(List.of("-X", setting)));
        command.addAll(List.of("-G", GROUP, topic));
        return command;
    }

    @Test
    void cooperativeMembersThatJoinOneByOneAllGetPartitions() throws Exception {
        String cooperative = "partition.assignment.strategy=cooperative-sticky";
        ForeignProcess first = join(cooperative);
        letPass(STAGGER);
        ForeignProcess second = join(cooperative);
        letPass(STAGGER);
        ForeignProcess third = join(cooperative);
        awaitShared(3);
        awaitReadOnce(produce(), first, second, third);
        second.leave();
        awaitShared(2);
        awaitReadOnce(produce(), first, third);
    }

    @Test
    void aKilledStaticMemberReturnsWithoutARebalance() throws Exception {
        ForeignProcess first = join("group.instance.id=one");
        ForeignProcess second = join("group.instance.id=two");
        awaitShared(2);
        awaitReadOnce(produce(), first, second);
        long rebalances = rebalances(first);
        second.kill();
        Set<String> meanwhile = produce();
        ForeignProcess again = join("group.instance.id=two");
        awaitRead(meanwhile, first, again);
        assertThat(values(again)).containsAnyElementsOf(meanwhile);
        assertThat(rebalances(first)).as("rebalances of the other").isEqualTo(rebalances);
    }

    private static long rebalances(ForeignProcess member) {
        return member.lines().stream()
                .filter(line -> line.contains("rebalanced"))
                .count();
    }
}
