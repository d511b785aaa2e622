package dev.muster.engine.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnpackingTurnsTest {
    private static final int SLICE = UnpackingTurns.SLICE_BYTES;

    private final UnpackingTurns turns = new UnpackingTurns(1);
    private final List<String> order = new CopyOnWriteArrayList<>();

    private FutureTask<Void> batch(String name, int slices) throws InterruptedException {
        int waiting = turns.waiting();
        FutureTask<Void> task = new FutureTask<>(() -> {
            UnpackingTurns.Turn turn = turns.begin();
            try {
                for (int i = 1; i <= slices; i++) {
                    order.add(name + i);
                    turn.unpacked((long) i * SLICE);
                }
            } finally {
                turn.end();
            }
            return null;
        });
        Thread.ofPlatform().start(task);
        while (turns.waiting() == waiting) {
            Thread.onSpinWait();
        }
        return task;
    }

    @Test
    void theSlotGoesToTheBatchThatUnpackedLeast() throws Exception {
        UnpackingTurns.Turn first = turns.begin();
        FutureTask<Void> large = batch("large", 3);
        FutureTask<Void> small = batch("small", 1);
        FutureTask<Void> other = batch("other", 1);
        first.unpacked(SLICE);
        first.end();
        large.get();
        small.get();
        other.get();
        assertThat(order).containsExactly("large1", "small1", "other1", "large2", "large3");
    }

    @Test
    void aBatchKeepsItsSlotWithinASlice() throws Exception {
        UnpackingTurns.Turn first = turns.begin();
        FutureTask<Void> second = batch("second", 1);
        first.unpacked(SLICE - 1);
        assertThat(order).isEmpty();
        first.end();
        second.get();
        assertThat(order).containsExactly("second1");
    }

    @Test
    void anInterruptedBatchStopsWaiting() throws Exception {
        UnpackingTurns.Turn first = turns.begin();
        Thread.currentThread().interrupt();
        assertThatThrownBy(turns::begin).isInstanceOf(InterruptedException.class);
        assertThat(turns.waiting()).isZero();
        first.end();
        turns.begin().end();
    }
}
