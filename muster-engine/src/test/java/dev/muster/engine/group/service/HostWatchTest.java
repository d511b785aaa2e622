package dev.muster.engine.group.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.model.HostId;
import dev.muster.store.group.Hosts;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The measured silence of another process. */
class HostWatchTest {
    private static final HostId OTHER = new HostId("other");

    private final Counter counter = new Counter();
    private final HostWatch watch = new HostWatch(counter, () -> {});

    /** One process, whose signs of life the test sets. */
    private static final class Counter implements Hosts {
        private long beats;

        @Override
        public HostId self() {
            return new HostId("self");
        }

        @Override
        public void beat() {
            beats++;
        }

        @Override
        public OptionalLong beats(HostId host) {
            return OptionalLong.of(beats);
        }

        @Override
        public boolean gone(HostId host) {
            return false;
        }

        @Override
        public AutoCloseable onGone(HostId host, Consumer<HostId> listener) {
            return () -> {};
        }

        @Override
        public AutoCloseable onLost(Runnable listener) {
            return () -> {};
        }
    }

    @Test
    void aSignOfLifeDuringOurPauseEndsTheSilence() {
        watch.watch(Set.of(OTHER), 0);
        counter.beat();
        watch.excuse(10, 100);
        watch.look(100);
        assertThat(watch.silence(OTHER, 100)).isZero();
    }

    @Test
    void aSilentProcessIsExcusedForTwiceOurPause() {
        watch.watch(Set.of(OTHER), 0);
        watch.look(90);
        watch.excuse(10, 100);
        watch.look(100);
        assertThat(watch.silence(OTHER, 100)).isEqualTo(80);
    }
}
