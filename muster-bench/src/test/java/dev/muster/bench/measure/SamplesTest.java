package dev.muster.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SamplesTest {
    @Test
    void theMedianIsTheMiddleValueOrTheMeanOfTwo() {
        assertThat(new Samples(9, 1, 5).median()).isEqualTo(5);
        assertThat(new Samples(9, 1, 5, 3).median()).isEqualTo(4);
    }

    @Test
    void ratiosAreTakenRepetitionByRepetition() {
        // The machine was three times slower in the second repetition, which must not change the ratio.
        Samples ours = new Samples(200, 66, 210);
        Samples theirs = new Samples(100, 33, 105);
        assertThat(ours.over(theirs).values()).containsExactly(2, 2, 2);
    }

    @Test
    void samplesOfDifferentLengthCannotBeCompared() {
        assertThatThrownBy(() -> new Samples(1).over(new Samples(1, 2))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTargetIsMetOnItsBound() {
        assertThat(Target.atLeast(0.8, "x", new Samples(0.8)).met()).isTrue();
        assertThat(Target.atLeast(0.8, "x", new Samples(0.79)).met()).isFalse();
        assertThat(Target.atMost(100, "µs", "x", new Samples(100)).met()).isTrue();
        assertThat(Target.atMost(100, "µs", "x", new Samples(101)).met()).isFalse();
    }
}
