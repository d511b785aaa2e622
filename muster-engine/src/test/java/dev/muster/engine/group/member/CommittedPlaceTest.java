package dev.muster.engine.group.member;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.CompressionKind;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.memory.MemoryStore;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import dev.muster.testkit.forward.ForwardingLog;
import dev.muster.testkit.forward.ForwardingReader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongToIntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CommittedPlaceTest {
    private final MemoryStore store = new MemoryStore();
    private final PartitionLog log = log();

    @AfterEach
    void close() {
        store.close();
    }

    private PartitionLog log() {
        Topic topic = store.create(new TopicName("orders"), 1, TopicSettings.DEFAULT);
        PartitionLog real = store.log(topic.id(), 0);
        for (int i = 0; i < 100; i++) {
            BatchBuilder builder = new BatchBuilder(new byte[1024], CompressionKind.NONE);
            assertThat(builder.tryAppend(1, null, "x".getBytes(UTF_8), List.of()))
                    .isTrue();
            real.append(builder.finish(BatchHeader.NO_PRODUCER, (short) -1, -1));
        }
        return real;
    }

    private long place(LongToIntFunction epochs, long offset, int epoch) {
        return CommittedPlace.in(new LogWithEpochs(log, epochs), new CommittedOffset(offset, epoch, ""));
    }

    @Test
    void aCommitLeadsToItsRecord() {
        assertThat(place(offset -> 0, 40, 0)).isEqualTo(40);
        assertThat(place(offset -> 0, 40, -1)).isEqualTo(40);
        assertThat(place(offset -> 0, 100, 0)).isEqualTo(100);
        assertThat(place(offset -> 0, 0, -1)).isEqualTo(0);
    }

    @Test
    void aCommitBeyondTheEndIsLoweredToTheEnd() {
        assertThat(place(offset -> 0, 107, 0)).isEqualTo(100);
        assertThat(place(offset -> 0, 107, -1)).isEqualTo(100);
    }

    @Test
    void aCommitBelowTheStartIsRaisedToTheStart() {
        log.trim(60);
        assertThat(place(offset -> 0, 40, 0)).isEqualTo(60);
    }

    @Test
    void wherePlacesWereGivenAnewAfterAPowerCutWorkGoesOnAtTheFirstOfThem() {
        // Records were lost from some place on, and others came; somebody had committed 40 before.
        for (int from : new int[] {0, 1, 17, 39}) {
            assertThat(place(offset -> offset < from ? 3 : 4, 40, 3)).isEqualTo(from);
        }
        assertThat(place(offset -> offset < 40 ? 3 : 4, 40, 3)).isEqualTo(40);
        assertThat(place(offset -> offset < 20 ? 3 : offset < 30 ? 5 : 9, 40, 5))
                .isEqualTo(30);
        assertThat(place(offset -> offset < 30 ? 3 : 4, 40, 4)).isEqualTo(40);
    }

    /** A log that survived power cuts: its records have the epochs that a test says. */
    private static final class LogWithEpochs extends ForwardingLog {
        private final LongToIntFunction epochs;

        LogWithEpochs(PartitionLog real, LongToIntFunction epochs) {
            super(real);
            this.epochs = epochs;
        }

        @Override
        public LogReader reader(long offset) {
            return new ForwardingReader(super.reader(offset)) {
                @Override
                public LogSlice read(int bytesMax) {
                    LogSlice slice = super.read(bytesMax);
                    byte[] bytes = new byte[slice.bytes().remaining()];
                    slice.bytes().duplicate().get(bytes);
                    for (int at = 0; at < bytes.length; at += BatchHeader.sizeInBytes(bytes, at)) {
                        BatchHeader.setLeaderEpoch(bytes, at, epochs.applyAsInt(BatchHeader.baseOffset(bytes, at)));
                    }
                    return new LogSlice(ByteBuffer.wrap(bytes), slice.nextOffset());
                }
            };
        }
    }
}
