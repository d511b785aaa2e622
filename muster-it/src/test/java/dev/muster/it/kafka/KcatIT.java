package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** kcat, and with it librdkafka, on which the clients of many languages rest. */
class KcatIT extends ClientContract {
    private static final String FORMAT = "record %p %o %k %s %h\n";

    @Override
    void requireClient() {
        Programs.require("kcat", "-V");
    }

    @Override
    List<String> compressions() {
        return List.of("none", "gzip", "snappy", "lz4", "zstd");
    }

    @Override
    List<String> producing(String address, String topic, String compression) {
        return List.of(
                "kcat",
                "-b",
                address,
                "-P",
                "-t",
                topic,
                "-z",
                compression,
                "-K",
                ":",
                "-Z",
                "-H",
                "tenant=blue",
                "-H",
                "trace=7");
    }

    @Override
    List<String> consuming(String address, String topic, String... settings) {
        List<String> command = new ArrayList<>(List.of("kcat", "-b", address, "-u", "-Z", "-f", FORMAT));
        command.addAll(List.of("-X", "auto.offset.reset=earliest", "-X", "heartbeat.interval.ms=300"));
        for (String setting : settings) {
            command.addAll(List.of("-X", setting));
        }
        command.addAll(List.of("-G", GROUP, topic));
        return command;
    }

    @Test
    void membersThatComeOneByOneAndShareCooperativelyAllGetWork() throws Exception {
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
    void aStaticMemberThatIsKilledAndComesBackDisturbsNobody() throws Exception {
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
