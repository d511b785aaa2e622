package dev.muster.engine.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class AckLedgerTest {
    @Test
    void recordsBehindAGapAreNotDone() {
        AckLedger ledger = new AckLedger();
        for (long offset : new long[] {5, 6, 9, 10}) {
            ledger.handedOut(offset);
        }
        assertThat(ledger.firstOpen(11)).isEqualTo(5);
        ledger.acknowledge(6);
        ledger.acknowledge(10);
        assertThat(ledger.firstOpen(11)).isEqualTo(5);
        ledger.acknowledge(5);
        assertThat(ledger.firstOpen(11)).isEqualTo(9);
        ledger.acknowledge(5);
        ledger.acknowledge(7);
        ledger.acknowledge(77);
        assertThat(ledger.open()).isEqualTo(2);
        ledger.acknowledge(9);
        assertThat(ledger.firstOpen(11)).isEqualTo(11);
        ledger.handedOut(12);
        assertThat(ledger.firstOpen(13)).isEqualTo(12);
        ledger.clear();
        assertThat(ledger.firstOpen(13)).isEqualTo(13);
    }

    @Test
    void theLedgerAgreesWithASetInAnyOrder() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        AckLedger ledger = new AckLedger();
        TreeSet<Long> open = new TreeSet<>();
        long next = 0;
        for (int i = 0; i < 200_000; i++) {
            if (random.nextInt(open.size() + 1) < 300) {
                next += 1 + random.nextInt(2);
                ledger.handedOut(next);
                open.add(next);
            } else {
                Long near = open.ceiling(open.first() + random.nextInt(500));
                long offset = near == null ? open.first() : near;
                ledger.acknowledge(offset);
                open.remove(offset);
            }
            assertThat(ledger.firstOpen(next + 1))
                    .as("seed %d, step %d", seed, i)
                    .isEqualTo(open.isEmpty() ? next + 1 : open.first());
        }
    }
}
