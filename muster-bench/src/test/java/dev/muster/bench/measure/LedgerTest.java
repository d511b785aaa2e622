package dev.muster.bench.measure;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private final Payload payload = new Payload(7, 100);
    private final Ledger ledger = new Ledger(payload, 2);

    private byte[] record(int writer, long number) {
        byte[] record = new byte[payload.size()];
        payload.fill(record, writer, number);
        return record;
    }

    @Test
    void acceptsTheRecordsOfTwoWritersInterleaved() {
        ledger.accept(record(0, 0));
        ledger.accept(record(1, 0));
        ledger.accept(record(1, 1));
        ledger.accept(record(0, 1));
        assertThatCode(() -> ledger.requireCounts(2, 2)).doesNotThrowAnyException();
    }

    @Test
    void refusesALostRecord() {
        ledger.accept(record(0, 0));
        assertThatThrownBy(() -> ledger.accept(record(0, 2))).hasMessageContaining("record 2 where 1 belongs");
    }

    @Test
    void refusesADuplicateRecord() {
        ledger.accept(record(0, 0));
        assertThatThrownBy(() -> ledger.accept(record(0, 0))).hasMessageContaining("record 0 where 1 belongs");
    }

    @Test
    void refusesARecordWithOneChangedByte() {
        byte[] record = record(0, 0);
        record[99] ^= 1;
        assertThatThrownBy(() -> ledger.accept(record)).hasMessageContaining("not what was written");
    }

    @Test
    void refusesATruncatedRecord() {
        byte[] cut = Arrays.copyOf(record(0, 0), 99);
        assertThatThrownBy(() -> ledger.accept(cut)).hasMessageContaining("not what was written");
    }

    @Test
    void refusesARecordOfAnUnknownWriter() {
        assertThatThrownBy(() -> ledger.accept(record(2, 0))).hasMessageContaining("of no writer");
    }

    @Test
    void refusesALogThatEndsTooEarly() {
        ledger.accept(record(0, 0));
        assertThatThrownBy(() -> ledger.requireCounts(2, 0)).hasMessageContaining("appended 2 records, read 1");
    }
}
