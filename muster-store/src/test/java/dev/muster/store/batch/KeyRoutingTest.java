package dev.muster.store.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.KeyRouting;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.common.utils.Utils;

/** Stands here because kafka-clients does: core has no libraries. */
class KeyRoutingTest {
    @Property
    void aKeyGoesWhereKafkaClientsSendIt(@ForAll byte[] key, @ForAll @IntRange(min = 1, max = 10_000) int partitions) {
        assertThat(KeyRouting.partition(key, partitions)).isEqualTo(Utils.toPositive(Utils.murmur2(key)) % partitions);
    }
}
