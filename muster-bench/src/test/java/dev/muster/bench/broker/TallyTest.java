package dev.muster.bench.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.bench.measure.Payload;
import org.junit.jupiter.api.Test;

class TallyTest {
    private final Payload payload = new Payload(7, 100);
    private final Tally tally = new Tally(100, 2, 2);

    private byte[] record(int writer, long number) {
        byte[] record = new byte[payload.size()];
        payload.fill(record, writer, number);
        return record;
    }

    @Test
    void acceptsTheRecordsOfTwoWritersSpreadOverPartitions() {
        tally.accept(0, 0, record(0, 1));
        tally.accept(1, 0, record(0, 0));
        tally.accept(1, 1, record(1, 0));
        assertThat(tally.count()).isEqualTo(3);
        assertThatCode(() -> tally.requireAll(2, 1)).doesNotThrowAnyException();
    }

    @Test
    void refusesAGapBetweenOffsets() {
        tally.accept(0, 0, record(0, 0));
        assertThatThrownBy(() -> tally.accept(0, 2, record(0, 1))).hasMessageContaining("offset 2 where 1 belongs");
    }

    @Test
    void refusesADuplicateRecord() {
        tally.accept(0, 0, record(0, 0));
        assertThatThrownBy(() -> tally.accept(1, 0, record(0, 0))).hasMessageContaining("record 0 occurs twice");
    }

    @Test
    void refusesARecordOfAnUnknownWriter() {
        assertThatThrownBy(() -> tally.accept(0, 0, record(2, 0))).hasMessageContaining("of no writer");
        assertThatThrownBy(() -> new Tally(99, 1, 1).accept(0, 0, record(0, 0))).hasMessageContaining("of no writer");
    }

    @Test
    void refusesAMissingAcknowledgedRecord() {
        tally.accept(0, 0, record(0, 0));
        tally.accept(0, 1, record(0, 2));
        assertThatThrownBy(() -> tally.requireAll(3, 0)).hasMessageContaining("record 1 was acknowledged");
    }

    @Test
    void refusesMoreRecordsThanAcknowledged() {
        tally.accept(0, 0, record(0, 0));
        tally.accept(0, 1, record(0, 1));
        assertThatThrownBy(() -> tally.requireAll(1, 0)).hasMessageContaining("2 are there");
    }
}
