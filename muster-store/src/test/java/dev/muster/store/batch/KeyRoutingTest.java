package dev.muster.store.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.KeyRouting;
import java.util.Random;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

/** The test is in this module because muster-core has no dependency on kafka-clients. */
class KeyRoutingTest {
    private static final long SEED = Long.getLong("muster.seed", new Random().nextLong());

    static {
        System.out.println("KeyRoutingTest: -Dmuster.seed=" + SEED);
    }

    @Test
    void keyGetsThePartitionThatKafkaClientsChoose() {
        Random random = new Random(SEED);
        for (int i = 0; i < 1000; i++) {
            byte[] key = new byte[random.nextInt(256)];
            random.nextBytes(key);
            int partitions = i % 10 == 0 ? 1 + random.nextInt(3) : random.nextInt(1, 10_001);
            assertThat(KeyRouting.partition(key, partitions))
                    .isEqualTo(Utils.toPositive(Utils.murmur2(key)) % partitions);
        }
    }
}
