package dev.muster.bench.broker;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnershipCheckTest {
    private final OwnershipCheck ownership = new OwnershipCheck(4);

    OwnershipCheckTest() {
        ownership.joins("a");
        ownership.joins("b");
    }

    private void requireComplete() throws InterruptedException {
        ownership.awaitComplete(Duration.ZERO);
    }

    @Test
    void isCompleteWhenEveryMemberHasItsShare() {
        ownership.assigned("a", List.of(0, 1));
        ownership.assigned("b", List.of(2, 3));
        assertThatCode(this::requireComplete).doesNotThrowAnyException();
    }

    @Test
    void isNotCompleteWhileAPartitionHasNoOwner() {
        ownership.assigned("a", List.of(0, 1));
        ownership.assigned("b", List.of(2));
        assertThatThrownBy(this::requireComplete).hasMessageContaining("not assigned");
    }

    @Test
    void isNotCompleteWhileAMemberHasNoPartition() {
        ownership.assigned("a", List.of(0, 1, 2, 3));
        assertThatThrownBy(this::requireComplete).hasMessageContaining("not assigned");
    }

    @Test
    void refusesTwoOwnersOfOnePartition() {
        ownership.assigned("a", List.of(0, 1));
        ownership.assigned("b", List.of(1, 2, 3));
        assertThatThrownBy(this::requireComplete).hasMessageContaining("partition 1 was given to b while a had it");
    }

    @Test
    void aReleasedPartitionMayGetANewOwner() {
        ownership.assigned("a", List.of(0, 1, 2, 3));
        ownership.gone("a", List.of(2, 3));
        ownership.assigned("b", List.of(2, 3));
        assertThatCode(this::requireComplete).doesNotThrowAnyException();
    }

    @Test
    void aFailedMemberFailsTheMeasure() {
        ownership.failed("a", new IllegalStateException("refused"));
        assertThatThrownBy(this::requireComplete)
                .hasMessageContaining("a failed")
                .hasMessageContaining("refused");
    }
}
