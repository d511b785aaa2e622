package dev.muster.core.group.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.TopicName;
import java.util.concurrent.TimeUnit;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TopicPatternTest {
    @Test
    void theWholeNameHasToMatch() {
        TopicPattern pattern = new TopicPattern("orders-.*");
        assertThat(pattern.matches(new TopicName("orders-eu"))).isTrue();
        assertThat(pattern.matches(new TopicName("my-orders-eu"))).isFalse();
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.SECONDS)
    void aPatternWithTooManyStepsMatchesNothing() {
        String name = "a".repeat(60);
        assertThat(new TopicPattern("(a+)+b").matches(new TopicName(name))).isFalse();
        assertThat(new TopicPattern("(a+)+").matches(new TopicName(name))).isTrue();
    }

    @Test
    void anInvalidPatternIsRefused() {
        assertThatThrownBy(() -> new TopicPattern("(")).isInstanceOf(PatternSyntaxException.class);
        assertThatThrownBy(() -> new TopicPattern("a".repeat(2_000))).isInstanceOf(PatternSyntaxException.class);
    }
}
