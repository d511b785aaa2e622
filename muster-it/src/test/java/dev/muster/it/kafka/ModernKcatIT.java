package dev.muster.it.kafka;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The newest librdkafka in groups of the new protocol (KIP-848), where the server assigns. */
class ModernKcatIT extends KcatIT {
    /** Settings of the server in this protocol, which librdkafka refuses. */
    private static final Set<String> OF_THE_SERVER =
            Set.of("session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy");

    @Override
    void requireClient() throws Exception {
        NewLibrdkafka.require();
    }

    @Override
    List<String> kcat() {
        return NewLibrdkafka.kcat();
    }

    /** The compressions that need only librdkafka's own source; gzip needs the system's headers of zlib. */
    @Override
    List<String> compressions() throws Exception {
        String about = String.join(
                " ",
                ForeignProcess.run(
                        Stream.concat(kcat().stream(), Stream.of("-V")).toList()));
        System.out.println(about.substring(about.indexOf("librdkafka ")));
        return Stream.concat(
                        Stream.of("none", "snappy", "lz4"),
                        Stream.of("gzip", "zstd").filter(about::contains))
                .toList();
    }

    @Override
    Stream<String> understood(String setting) {
        return OF_THE_SERVER.contains(setting.substring(0, setting.indexOf('=')))
                ? Stream.of("group.protocol=consumer")
                : Stream.of(setting);
    }
}
