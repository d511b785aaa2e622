package dev.muster.engine.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ParallelMapTest {
    private static final List<Integer> MANY = IntStream.range(0, 100).boxed().toList();

    private final ParallelMap sideBySide = new ParallelMap();

    @Test
    void resultsAreInTheOrderOfTheItems() {
        assertThat(sideBySide.map(MANY, i -> 2 * i))
                .isEqualTo(MANY.stream().map(i -> 2 * i).toList());
        assertThat(sideBySide.map(List.of(1, 2), i -> 2 * i)).containsExactly(2, 4);
        assertThat(sideBySide.map(List.<Integer>of(), i -> 2 * i)).isEmpty();
    }

    @Test
    void severalItemsAreProcessedAtOnce() {
        CyclicBarrier four = new CyclicBarrier(4);
        assertThat(sideBySide.map(MANY, i -> meet(four))).hasSize(100).containsOnly(true);
    }

    @Test
    void aFailureIsThrownAfterAllItemsAreDone() {
        AtomicInteger done = new AtomicInteger();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> sideBySide.map(MANY, i -> {
                    if (i == 3) {
                        throw new IllegalStateException("three");
                    }
                    return done.incrementAndGet();
                }))
                .withMessage("three");
        assertThat(done).hasValue(99);
    }

    @Test
    void nestedMapsRunInParallel() {
        List<Integer> sums = sideBySide.map(
                MANY,
                i -> sideBySide.map(MANY, j -> i + j).stream()
                        .mapToInt(Integer::intValue)
                        .sum());
        assertThat(sums).isEqualTo(MANY.stream().map(i -> 100 * i + 4_950).toList());
    }

    @Test
    void anInterruptedCallerGetsAllResultsAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        assertThat(sideBySide.map(MANY, i -> i)).isEqualTo(MANY);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void withoutThreadsTheCallerProcessesAllItems() {
        ParallelMap alone = new ParallelMap(_ -> {
            throw new RejectedExecutionException("no thread");
        });
        assertThat(alone.map(MANY, i -> i)).isEqualTo(MANY);
    }

    private static boolean meet(CyclicBarrier others) {
        try {
            others.await(30, TimeUnit.SECONDS);
            return true;
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            return false;
        }
    }
}
