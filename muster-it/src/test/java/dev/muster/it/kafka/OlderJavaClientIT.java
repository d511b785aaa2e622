package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Kafka's own Java client of the last 3.x, in processes of its own. */
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
    void itIsTheOlderOneIndeed() throws Exception {
        assertThat(ForeignProcess.run(java(Stream.of("version"))))
                .last()
                .asString()
                .startsWith("3.9.");
    }

    @Test
    void aStaticMemberThatIsKilledAndComesBackGetsItsShareBack() throws Exception {
        ForeignProcess first = join("group.instance.id=one");
        ForeignProcess second = join("group.instance.id=two");
        awaitShared(2);
        awaitReadOnce(produce(), first, second);
        second.kill();
        ForeignProcess again = join("group.instance.id=two");
        awaitRead(produce(), first, again);
        assertThat(values(again)).isNotEmpty();
    }
}
