package dev.muster.engine.group.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.model.HostId;
import dev.muster.store.group.Hosts;
import dev.muster.store.group.Lease;
import dev.muster.store.watch.Registration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** For how long another process is taken to be silent. */
class HostWatchTest {
    private static final HostId OTHER = new HostId("other");

    private final Counter counter = new Counter();
    private final HostWatch watch = new HostWatch(counter, () -> {});

    /** One process, whose renewals the test counts. */
    private static final class Counter implements Hosts {
        private long renewals;

        @Override
        public HostId self() {
            return new HostId("self");
        }

        @Override
        public Lease renew() {
            renewals++;
            return Lease.UNTIL_DEATH;
        }

        @Override
        public OptionalLong renewals(HostId host) {
            return OptionalLong.of(renewals);
        }

        @Override
        public boolean gone(HostId host) {
            return false;
        }

        @Override
        public Registration watch(HostId host, Consumer<HostId> listener) {
            return () -> {};
        }

        @Override
        public Registration onLost(Runnable listener) {
            return () -> {};
        }
    }

    @Test
    void whoBeatWhileWeWereAwayIsNotSilent() {
        watch.watch(Set.of(OTHER), 0);
        counter.renew();
        watch.excuse(10, 100);
        watch.look(100);
        assertThat(watch.silence(OTHER, 100)).isZero();
    }

    @Test
    void whoDidNotIsExcusedForThatTimeAndAsMuchAgain() {
        watch.watch(Set.of(OTHER), 0);
        watch.look(90);
        watch.excuse(10, 100);
        watch.look(100);
        assertThat(watch.silence(OTHER, 100)).isEqualTo(80);
    }
}
