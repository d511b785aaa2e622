package dev.muster.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TopicSettingsTest {
    @Test
    void theLargestBatchSizeEqualsKafkas() {
        assertThat(TopicSettings.DEFAULT.toMap()).containsEntry("max.message.bytes", "1048588");
    }
}
