package dev.muster.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A round of housekeeping runs when a test wants it: once, and at no other time. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class PacedMachineTest {
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final PacedMachine machine = new PacedMachine();
    private final AtomicInteger rounds = new AtomicInteger();
    private final Thread housekeeper = machine.thread("muster-upkeep", this::keepHouse);
    private volatile boolean closing;

    /** The loop of the housekeeping thread, as in a store. */
    private void keepHouse() {
        while (!closing) {
            rounds.incrementAndGet();
            long end = machine.nanoTime() + TICK_NANOS;
            for (long left = TICK_NANOS; left > 0 && !closing; left = end - machine.nanoTime()) {
                machine.pause(left);
            }
        }
    }

    @BeforeEach
    void start() {
        housekeeper.start();
        machine.awaitRest();
    }

    @AfterEach
    void close() throws InterruptedException {
        closing = true;
        LockSupport.unpark(housekeeper);
        housekeeper.join();
    }

    @Test
    void eachCallRunsOneRoundAfterAnyRest() {
        assertThat(rounds).hasValue(1);
        letTicksPass();
        machine.keepHouse();
        assertThat(rounds).hasValue(2);
        machine.keepHouse();
        assertThat(rounds).hasValue(3);
    }

    @Test
    void aSpuriousWakeupStartsNoRound() {
        for (int i = 0; i < 50; i++) {
            letTicksPass();
            LockSupport.unpark(housekeeper);
        }
        machine.keepHouse();
        assertThat(rounds).hasValue(2);
    }

    @Test
    void otherThreadsHaveTheRealTime() {
        for (int i = 0; i < 500; i++) {
            machine.keepHouse();
        }
        long shown = machine.nanoTime();
        long after = System.nanoTime();
        assertThat(after - shown).isNotNegative();
    }

    private static void letTicksPass() {
        long until = System.nanoTime() + 3 * TICK_NANOS;
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
