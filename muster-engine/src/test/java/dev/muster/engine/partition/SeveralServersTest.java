package dev.muster.engine.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.CompressionKind;
import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.memory.MemoryStore;
import dev.muster.testkit.ContractRecords;
import dev.muster.testkit.unpleasant.StoreMistake;
import dev.muster.testkit.unpleasant.Trouble;
import dev.muster.testkit.unpleasant.UnpleasantStore;
import dev.muster.testkit.unpleasant.Writers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Several servers write to one partition of a store that fails. The batches of idempotent clients arrive at any of
 * them, and some arrive twice. Each batch is in the log once, in order.
 */
@Timeout(120)
class SeveralServersTest {
    private static final int SERVERS = 3;
    private static final int CLIENTS = 2;
    private static final int BATCHES = 150;

    private static List<String> send(long seed, StoreMistake mistake) {
        SplittableRandom chance = new SplittableRandom(seed);
        Writers writers = new Writers();
        Trouble trouble = new Trouble(seed, 8, System::nanoTime, Runnable::run).withMistake(mistake);
        trouble.calm(true);
        try (MemoryStore memory = new MemoryStore()) {
            Topic topic = memory.create(new TopicName("orders"), 1, TopicSettings.DEFAULT);
            List<PartitionWriter> servers = new ArrayList<>();
            for (int i = 0; i < SERVERS; i++) {
                LogStore store = new UnpleasantStore(memory.anotherHost(), trouble, writers, "p" + i);
                servers.add(new PartitionWriter(store.log(topic.id(), 0), () -> 0, false));
            }
            trouble.calm(false);
            for (int i = 0; i < BATCHES; i++) {
                for (int client = 0; client < CLIENTS; client++) {
                    boolean twice = chance.nextInt(4) == 0;
                    AppendResult first = deliver(servers, chance, client, i);
                    if (twice) {
                        AppendResult second = deliver(servers, chance, client, i);
                        assertThat(second.baseOffset()).isEqualTo(first.baseOffset());
                    }
                }
            }
            trouble.calm(true);
            assertThat(trouble.counts().unknown()).as("unknown outcomes").isPositive();
            return ContractRecords.values(memory.log(topic.id(), 0), 0);
        }
    }

    /** As a client does that repeats a batch until a server acknowledges it. */
    private static AppendResult deliver(
            List<PartitionWriter> servers, SplittableRandom chance, int client, int number) {
        while (true) {
            try {
                return servers.get(chance.nextInt(servers.size())).append(batch(client, number));
            } catch (MusterException e) {
                assertThat(e).isNotInstanceOf(RefusedBatchException.class);
            }
        }
    }

    private static EncodedBatch batch(int client, int number) {
        BatchBuilder builder = new BatchBuilder(new byte[256], CompressionKind.NONE);
        String value = client + ":" + number;
        assertThat(builder.tryAppend(0, null, value.getBytes(StandardCharsets.UTF_8), List.of()))
                .isTrue();
        return builder.finish(100 + client, (short) 0, number);
    }

    private static List<String> expected() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < BATCHES; i++) {
            for (int client = 0; client < CLIENTS; client++) {
                expected.add(client + ":" + i);
            }
        }
        return expected;
    }

    @Test
    void batchesAreInTheLogOnceAndInOrder() {
        for (long seed = 1; seed <= 10; seed++) {
            assertThat(send(seed, null)).as("seed %d", seed).isEqualTo(expected());
        }
    }

    @Test
    void aStoreThatIgnoresTheConditionOfAppendsIsNoticed() {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= 10; seed++) {
                        assertThat(send(seed, StoreMistake.CONDITION_IGNORED)).isEqualTo(expected());
                    }
                })
                .isInstanceOf(AssertionError.class);
    }
}
