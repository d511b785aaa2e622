package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.Group;
import dev.muster.core.group.model.FalseAlarm;
import dev.muster.embedded.Muster;
import dev.muster.embedded.internal.GroupInspection;
import dev.muster.kafka.config.HostAndPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The behaviour of Kafka's own clients when the network fails for a while. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FalseAlarmIT {
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path data;

    private static int memberCount(Group group) {
        return group.members().size() + group.classic().members().size();
    }

    @ParameterizedTest
    @ValueSource(strings = {"consumer", "classic"})
    void anExpulsionByANetworkFailureIsCountedAsAFalseAlarm(String protocol) throws Exception {
        try (Tunnel tunnel = new Tunnel();
                Muster muster = Muster.open(data);
                Door door = Door.openBehind(data, new HostAndPort("127.0.0.1", tunnel.port()))) {
            tunnel.leadTo(door.server().listens().port());
            muster.topics().create(TOPIC, PARTITIONS);
            try (GroupMember member = new GroupMember(
                    door, TOPIC, "group.protocol=" + protocol, "client.id=clerk", "reconnect.backoff.max.ms=200")) {
                GroupMember.await(
                        PATIENCE, () -> member.assignment().size() == PARTITIONS, () -> "all had by " + member);
                tunnel.cut();
                GroupMember.await(PATIENCE, () -> memberCount(group(muster)) == 0, () -> "nobody in " + group(muster));
                assertThat(group(muster).falseAlarms().count()).isZero();
                tunnel.mend();
                GroupMember.await(
                        PATIENCE, () -> group(muster).falseAlarms().count() == 1, () -> "an alarm in " + group(muster));
                GroupMember.await(PATIENCE, () -> group(muster).owners().size() == PARTITIONS, () -> "back: " + member);
                FalseAlarm alarm = group(muster).falseAlarms().last().getFirst();
                assertThat(alarm.label()).isEqualTo("clerk");
                assertThat(group(muster).falseAlarms().count()).isEqualTo(1);
            }
        }
    }

    private static Group group(Muster muster) {
        return GroupInspection.of(muster).state(GroupMember.GROUP).orElseThrow();
    }
}
