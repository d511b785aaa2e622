package dev.muster.engine.group.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Releases of a member that reconnects during a reconciliation. */
class RemoteSessionTest {
    private static final long CONNECTION = 7;
    private static final long SOON = Duration.ofMillis(300).toNanos();
    private static final long LATER = Duration.ofSeconds(11).toNanos();

    private static SortedSet<TopicPartition> orders(Integer... partitions) {
        SortedSet<TopicPartition> those = new TreeSet<>();
        List.of(partitions).forEach(partition -> those.add(TopicPartition.of("orders", partition)));
        return those;
    }

    /** The session of a member that reports partition 0 over a new connection, and keeps it. */
    private static RemoteSession cameBack(SortedSet<TopicPartition> owned) {
        return RemoteSession.begin(0)
                .afterReport(orders(0), CONNECTION, owned, 0)
                .afterAnswer(orders(0), Set.of(), CONNECTION, 0);
    }

    private static RemoteHeartbeat beat() {
        return new RemoteHeartbeat(
                Optional.of(new MemberId("A")),
                3,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new RemoteHeartbeat.Caller("A", "/127.0.0.1", CONNECTION));
    }

    @Test
    void aPartitionOfferedAndRevokedSinceTheReconnectIsReleased() {
        assertThat(cameBack(orders(0)).released(orders(0, 1), beat(), SOON)).isEqualTo(orders(1));
    }

    @Test
    void aPartitionOwnedAtTheReconnectIsNotReleasedYet() {
        RemoteSession exchange = cameBack(orders(0, 1));
        assertThat(exchange.released(orders(1), beat(), SOON)).isEmpty();
        assertThat(exchange.released(orders(1), beat(), LATER)).isEqualTo(orders(1));
    }

    @Test
    void aPartitionOfferedSinceTheReconnectIsNotReleasedYet() {
        RemoteSession exchange = cameBack(orders(0))
                .afterAnswer(orders(0, 1), Set.of(), CONNECTION, SOON)
                .afterAnswer(orders(0), Set.of(), CONNECTION, SOON);
        assertThat(exchange.released(orders(1), beat(), 2 * SOON)).isEqualTo(Collections.emptySortedSet());
    }
}
