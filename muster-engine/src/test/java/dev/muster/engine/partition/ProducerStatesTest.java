package dev.muster.engine.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.engine.partition.ProducerStates.Batch;
import dev.muster.engine.partition.ProducerStates.Verdict;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ProducerStatesTest {
    private final ProducerStates states = new ProducerStates();
    private long nextOffset;

    @Test
    void anUnknownProducerMayStartWithAnySequence() {
        assertThat(states.judge(batch(0, 17, 3))).isInstanceOf(Verdict.Fresh.class);
    }

    @Test
    void onlyTheNextSequenceIsAccepted() {
        write(0, 0, 3);
        assertThat(states.judge(batch(0, 3, 2))).isInstanceOf(Verdict.Fresh.class);
        assertThat(states.judge(batch(0, 4, 2))).isInstanceOf(Verdict.OutOfOrder.class);
        assertThat(states.judge(batch(0, 1, 2))).isInstanceOf(Verdict.OutOfOrder.class);
    }

    @Test
    void theLastFiveBatchesAreRecognisedAsDuplicates() {
        for (int i = 0; i < 6; i++) {
            write(0, 10 * i, 10);
        }
        for (int i = 1; i < 6; i++) {
            assertThat(states.judge(batch(0, 10 * i, 10)))
                    .isEqualTo(new Verdict.Duplicate(new AppendResult(10L * i, 10L * i + 10, 0)));
        }
        assertThat(states.judge(batch(0, 0, 10))).isInstanceOf(Verdict.OutOfOrder.class);
    }

    @Test
    void aBatchWithAnotherEndIsNoDuplicate() {
        write(0, 0, 10);
        assertThat(states.judge(batch(0, 0, 5))).isInstanceOf(Verdict.OutOfOrder.class);
    }

    @Test
    void aNewEpochStartsAtSequence0AndEndsTheOldOne() {
        write(0, 0, 3);
        assertThat(states.judge(batch(1, 3, 1))).isInstanceOf(Verdict.OutOfOrder.class);
        assertThat(states.judge(batch(1, 0, 1))).isInstanceOf(Verdict.Fresh.class);
        write(1, 0, 1);
        assertThat(states.judge(batch(0, 3, 1))).isInstanceOf(Verdict.OldEpoch.class);
        assertThat(states.judge(batch(1, 1, 1))).isInstanceOf(Verdict.Fresh.class);
    }

    @Test
    void sequencesWrapAfterTheLargestInt() {
        write(0, Integer.MAX_VALUE - 1, 4); // the largest two, then 0 and 1
        assertThat(states.judge(batch(0, 2, 1))).isInstanceOf(Verdict.Fresh.class);
        assertThat(states.judge(batch(0, Integer.MAX_VALUE - 1, 4))).isInstanceOf(Verdict.Duplicate.class);
        write(0, Integer.MAX_VALUE, 1);
        assertThat(states.judge(batch(0, 0, 1))).isInstanceOf(Verdict.Fresh.class);
    }

    @Test
    void encodedStatesAreDecodedUnchanged() {
        for (int i = 0; i < 7; i++) {
            write(0, i, 1);
        }
        states.add(new Batch(9, (short) 3, 4, 2, new AppendResult(100, 102, 55)), 0);
        ByteBuffer bytes = ByteBuffer.allocate(states.sizeInBytes());
        states.write(bytes);
        assertThat(bytes.hasRemaining()).isFalse();
        ProducerStates read = ProducerStates.read(bytes.flip(), 0);
        assertThat(read.producers()).isEqualTo(2);
        assertThat(read.judge(batch(0, 6, 1))).isEqualTo(new Verdict.Duplicate(new AppendResult(6, 7, 0)));
        assertThat(read.judge(new Batch(9, (short) 3, 6, 1, null))).isInstanceOf(Verdict.Fresh.class);
        assertThat(read.judge(new Batch(9, (short) 2, 6, 1, null))).isInstanceOf(Verdict.OldEpoch.class);
    }

    @Test
    void silentAndTrimmedProducersAreForgotten() {
        write(0, 0, 1);
        states.add(new Batch(9, (short) 0, 0, 1, new AppendResult(1, 2, 0)), 5_000);
        states.forget(1_000, 0);
        assertThat(states.producers()).isEqualTo(1);
        states.forget(0, 2);
        assertThat(states.producers()).isZero();
    }

    private static Batch batch(int epoch, int sequence, int count) {
        return new Batch(1, (short) epoch, sequence, count, new AppendResult(-1, -1, -1));
    }

    private void write(int epoch, int sequence, int count) {
        states.add(
                new Batch(1, (short) epoch, sequence, count, new AppendResult(nextOffset, nextOffset + count, 0)), 0);
        nextOffset += count;
    }
}
