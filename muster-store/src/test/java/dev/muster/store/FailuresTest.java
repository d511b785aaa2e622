package dev.muster.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MusterException;
import dev.muster.store.group.LineTooLongException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A failure is retryable if the same call may succeed later, and nothing of it took effect. */
class FailuresTest {
    @Test
    void failuresThatPassByThemselvesAreRetryable() {
        List<MusterException> passing = List.of(
                new DiskFullException("0.log", null),
                new DiskFullException(new DiskState(DiskState.Level.FULL, 1, 2, 3)),
                new NotOwnerException("orders-0", "p1"),
                new FencedException("orders-0"),
                new StoreUnavailableException("read orders-0", null));
        assertThat(passing).allMatch(MusterException::retryable);
    }

    @Test
    void failuresThatMayHaveTakenEffectOrNeedAChangeAreNotRetryable() {
        List<MusterException> others = List.of(
                new AppendOutcomeUnknownException("orders-0", null),
                new AppendConflictException("orders-0", 7),
                new SyncFailedException("0.log", null),
                new StoreIoException("cannot read 0.log", null),
                new StoreClosedException("the store"),
                new TopicDeletedException("orders"),
                new TopicNotFoundException("topic"),
                new TopicExistsException("orders"),
                new RecordTooLargeException("orders", 2, 1),
                new OffsetOutOfRangeException("orders-0", 1, 2, 3),
                new DamagedLogException("0.log", 1, 2, 3, "a hole"),
                new ReadOnlyException("append"),
                new LogReplacedException("0.log was removed"),
                new UnsupportedSettingException("segment.bytes", "there are no segments"),
                new LineTooLongException("workers", 2, 1));
        assertThat(others).noneMatch(MusterException::retryable);
    }

    @Test
    void aFailureNamesWhatToTry() {
        assertThat(new UnsupportedSettingException("segment.bytes", "there are no segments").hint())
                .hasValue("leave segment.bytes at its default");
        assertThat(new NotOwnerException("orders-0", "p1"))
                .hasMessageContaining("orders-0")
                .hasMessageContaining("p1");
        assertThat(new AppendOutcomeUnknownException("orders-0", new StoreIoException("the disk is gone", null)))
                .hasMessageContaining("orders-0")
                .hasMessageContaining("the disk is gone");
    }
}
