package dev.muster.store.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.muster.core.CompressionKind;
import dev.muster.core.Header;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchBuilderTest {
    private static final List<Header> NONE = List.of();

    @Test
    void fullBatchRefusesTheNextRecordAndKeepsItsRecords() {
        BatchBuilder builder = new BatchBuilder(new byte[200], CompressionKind.NONE);
        int accepted = 0;
        while (builder.tryAppend(0, null, new byte[20], NONE)) {
            accepted++;
        }

        assertThat(accepted).isEqualTo(5);
        assertThat(builder.recordCount()).isEqualTo(5);
        assertThat(builder.sizeInBytes()).isEqualTo(61 + 5 * 27);
        EncodedBatch batch = finish(builder);
        assertThat(batch.size()).isEqualTo(61 + 5 * 27);
        assertThat(KafkaCodec.decode(batch)).hasSize(5);
    }

    @Test
    void recordsFillTheBufferToItsLastByte() {
        BatchBuilder builder = new BatchBuilder(new byte[61 + 27], CompressionKind.NONE);
        assertThat(builder.tryAppend(0, null, new byte[20], NONE)).isTrue();
        builder.reset();
        builder = new BatchBuilder(new byte[61 + 27 + 27], CompressionKind.NONE);
        assertThat(builder.tryAppend(0, null, new byte[20], NONE)).isTrue();
        assertThat(builder.tryAppend(0, null, new byte[20], NONE)).isTrue();
        assertThat(builder.tryAppend(0, null, new byte[0], NONE)).isFalse();
        assertThat(finish(builder).size()).isEqualTo(61 + 27 + 27);
    }

    @Test
    void recordLargerThanTheBufferGetsItsOwnBatch() {
        byte[] buffer = new byte[100];
        BatchBuilder builder = new BatchBuilder(buffer, CompressionKind.NONE);
        byte[] value = new byte[5000];
        value[4999] = 7;

        assertThat(builder.tryAppend(1, null, value, NONE)).isTrue();
        assertThat(builder.tryAppend(1, null, new byte[1], NONE))
                .as("there is no room for a second record")
                .isFalse();
        assertThat(KafkaCodec.decode(finish(builder)).getFirst().value()).isEqualTo(value);

        builder.reset();
        assertThat(builder.tryAppend(1, null, new byte[10], NONE)).isTrue();
        assertThat(finish(builder).array())
                .as("the next batch uses the first array again")
                .isSameAs(buffer);
    }

    @Test
    void builderEncodesManyBatchesAfterEachOther() {
        for (CompressionKind compression : CompressionKind.values()) {
            BatchBuilder builder = new BatchBuilder(new byte[1000], compression);
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i <= round; i++) {
                    assertThat(builder.tryAppend(round, new byte[] {(byte) round}, new byte[i], NONE))
                            .isTrue();
                }
                int now = round;
                assertThat(KafkaCodec.decode(finish(builder)))
                        .as("%s, round %d", compression, round)
                        .hasSize(round + 1)
                        .allMatch(r -> r.timestamp() == now && r.key()[0] == now);
                builder.reset();
            }
        }
    }

    @Test
    void headerHoldsProducerAndTimes() {
        BatchBuilder builder = new BatchBuilder(new byte[1000], CompressionKind.ZSTD);
        builder.tryAppend(500, null, null, NONE);
        builder.tryAppend(700, null, null, NONE);
        builder.tryAppend(300, null, null, NONE);
        byte[] batch = builder.finish(42, (short) 3, 99).array();

        assertThat(BatchHeader.producerId(batch, 0)).isEqualTo(42);
        assertThat(BatchHeader.producerEpoch(batch, 0)).isEqualTo((short) 3);
        assertThat(BatchHeader.baseSequence(batch, 0)).isEqualTo(99);
        assertThat(BatchHeader.baseTimestamp(batch, 0)).isEqualTo(500);
        assertThat(BatchHeader.maxTimestamp(batch, 0)).isEqualTo(700);
        assertThat(BatchHeader.attributes(batch, 0)).isEqualTo(CompressionKind.ZSTD.id());
        assertThat(BatchHeader.crcHolds(batch, 0)).isTrue();
    }

    @Test
    void finishOfAnEmptyBatchAndAppendToAFinishedOneFail() {
        BatchBuilder builder = new BatchBuilder(new byte[1000], CompressionKind.NONE);
        assertThatIllegalStateException().isThrownBy(() -> finish(builder));
        builder.tryAppend(0, null, null, NONE);
        finish(builder);
        assertThatIllegalStateException().isThrownBy(() -> builder.tryAppend(0, null, null, NONE));
    }

    @Test
    void loneSurrogateInAHeaderKeyBecomesAQuestionMark() {
        BatchBuilder builder = new BatchBuilder(new byte[1000], CompressionKind.NONE);
        builder.tryAppend(0, null, null, List.of(new Header("a\ud800", null)));
        EncodedBatch batch = finish(builder);
        BatchDecoder decoder = BatchDecoder.over(ByteBuffer.wrap(batch.array(), 0, batch.size()));

        assertThat(decoder.next()).isTrue();
        assertThat(decoder.headers()).containsExactly(new Header("a?", null));
    }

    private static EncodedBatch finish(BatchBuilder builder) {
        return builder.finish(BatchHeader.NO_PRODUCER, (short) -1, -1);
    }
}
