package dev.muster.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.cluster.Feature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/protocol.md} agrees with the annotations of the API classes. To write it again: {@code mvn test -pl
 * muster-kafka -am -Dtest=ProtocolDocumentTest -Dmuster.write=true}.
 */
class ProtocolDocumentTest {
    private static final String HEAD = """
        # The Kafka protocol

        The APIs that `muster serve` serves. Clients get the same list from ApiVersions; both come from the classes in
        packages below `dev.muster.kafka.api`, and a test fails when this page is old. Messages are those of `kafka-clients`, byte for byte.

        | key | API | versions | left out |
        |---|---|---|---|
        """;
    private static final String FOOT = """

        An API or version that is not in this table ends the connection, as it does with Kafka; only ApiVersions is answered in any
        version. Frames are bounded (`socket.request.max.bytes`, and `queued.max.request.bytes` for all that arrive at one
        time).

        ## Behaviour

        - **One broker.** It leads every partition of the directory; other processes append and read beside it, without it.
        - **Visible means durable.** The high watermark is the end for readers of the directory: at `muster.sync=commit` the end of the
          synced records. `acks=all` waits for that; `acks=1` is answered when the batch is written, and its sync follows at once.
        - **Leader epochs** grow only when unsynced records were lost in a power cut.
        - **Batches** are stored unchanged, except for offsets and epoch, and for the time if `message.timestamp.type` is `LogAppendTime`.
          Before that, every record of a batch is checked.
        - **Timestamps.** With `CreateTime`, a batch with a record whose time is before 1970 (other than -1, no time), overflows, or is
          outside of `message.timestamp.before.max.ms` and `message.timestamp.after.max.ms` is refused with INVALID_TIMESTAMP. The message
          names the first such record; single records have no errors. The largest time in a batch's header is corrected if it is not that
          of the records, as Kafka does.
        - **Idempotent producers** are recognised by their last five batches in each partition, as with Kafka. Ids are never used again. A
          producer that wrote no record for a day is forgotten.
        - **Groups** answer as Kafka's do, which a test compares; the exceptions are in [Where Muster and Kafka
          differ](kafka-differences.md).
        - **Classic clients in a modern group**, one with KIP-848 or embedded members, are answered as Kafka does: JoinGroup names no
          leader, SyncGroup returns the assignment of the group, Heartbeat says REBALANCE_IN_PROGRESS when the assignment changed. Groups are
          converted both ways, always; there is no `group.consumer.migration.policy`.
        - **SASL** is off unless `sasl.enabled.mechanisms` is set ([how](cli.md#who-may-connect)). Without it both APIs answer
          ILLEGAL_SASL_STATE, as Kafka's do. Names and passwords are compared as they are, not by SASLprep, as with Kafka.
        - **Not there:** transactions, TLS, ACLs, quotas, compaction, tiered storage, telemetry.

        Kafka has these too, and they are not served:

        """;

    @Test
    void theDocumentListsAllServedApis() throws IOException {
        Path file = root().resolve("docs/protocol.md");
        String wanted;
        try (MemoryBroker broker = new MemoryBroker()) {
            wanted = document(broker.server().apis().all());
        }
        if (Boolean.getBoolean("muster.write")) {
            Files.writeString(file, wanted);
        }
        assertThat(Files.readString(file))
                .as("docs/protocol.md is old; write it again with -Dmuster.write=true")
                .isEqualTo(wanted);
    }

    @Test
    void allServedVersionsExistInKafkasMessageClasses() {
        try (MemoryBroker broker = new MemoryBroker()) {
            for (Api<?> api : broker.server().apis().all()) {
                assertThat((int) api.key().oldestVersion())
                        .as("%s", api.key())
                        .isLessThanOrEqualTo(api.serves().from());
                assertThat((int) api.key().latestVersion(false))
                        .as("%s", api.key())
                        .isGreaterThanOrEqualTo(api.serves().to());
            }
        }
    }

    private static String document(List<Api<?>> apis) {
        StringBuilder text = new StringBuilder(HEAD);
        for (Api<?> api : apis) {
            String versions = api.serves().from() == api.serves().to()
                    ? "" + api.serves().from()
                    : api.serves().from() + "–" + api.serves().to();
            text.append("| %d | %s | %s | %s |%n"
                    .formatted(
                            api.key().id, api.key().name, versions, api.serves().without()));
        }
        text.append(Feature.ALL.stream()
                .map(feature -> "`" + feature.name() + "` at level " + feature.level())
                .collect(Collectors.joining(
                        ", ", "\nApiVersions lists features too: ", ". A feature at level 0 is off.\n")));
        text.append(FOOT);
        List<String> missing = Arrays.stream(ApiKeys.values())
                .filter(key -> key.inScope(ListenerType.BROKER) && !key.clusterAction)
                .filter(key -> apis.stream().noneMatch(api -> api.key() == key))
                .sorted(Comparator.comparingInt(key -> key.id))
                .map(key -> key.id + " " + key.name)
                .toList();
        StringBuilder line = new StringBuilder();
        for (String each : missing) {
            if (line.length() + each.length() > 118) {
                text.append(line.toString().strip()).append('\n');
                line.setLength(0);
            }
            line.append(each).append(each.equals(missing.getLast()) ? "." : ", ");
        }
        return text.append(line).append('\n').toString();
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("ARCHITECTURE.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
