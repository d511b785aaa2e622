package dev.muster.engine.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.Group;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How often members are to be heard of. That it depends on what goes on is seen in {@link RemoteGroupsTest}. */
class PaceTest {
    private static final Duration USUAL = Duration.ofMillis(300);
    private static final Duration MAX = Duration.ofSeconds(5);
    private static final int MEMBERS = 100;

    private final Pace pace = new Pace();

    private Duration pause() {
        return pace.of(Group.empty(), MAX);
    }

    /** All members speak once, so much later than they were asked to. */
    private void round(Duration late) {
        long asked = pause().toNanos();
        for (int i = 0; i < MEMBERS; i++) {
            pace.heard(asked, asked + late.toNanos(), MEMBERS);
        }
    }

    @Test
    void membersThatAreInTimeAreAskedToComeAsOftenAsUsual() {
        round(Duration.ofMillis(50));
        assertThat(pause()).isEqualTo(USUAL);
    }

    @Test
    void membersThatCannotKeepUpAreAskedToComeLessOften() {
        round(Duration.ofSeconds(1));
        assertThat(pause()).isBetween(Duration.ofMillis(700), Duration.ofMillis(900));
        round(Duration.ofSeconds(1));
        assertThat(pause()).isBetween(Duration.ofMillis(1800), Duration.ofMillis(2400));
    }

    @Test
    void noPauseIsLongerThanTheLongest() {
        for (int i = 0; i < 10; i++) {
            round(Duration.ofMinutes(1));
        }
        assertThat(pause()).isEqualTo(MAX);
    }

    @Test
    void whoCatchesUpIsSoonAskedAsOftenAsBefore() {
        round(Duration.ofSeconds(1));
        round(Duration.ofSeconds(1));
        for (int i = 0; i < 5; i++) {
            round(Duration.ZERO);
        }
        assertThat(pause()).isEqualTo(USUAL);
    }

    @Test
    void oneThatIsLateAmongManyChangesLittle() {
        long asked = pause().toNanos();
        pace.heard(asked, 10 * asked, MEMBERS);
        assertThat(pause()).isLessThan(USUAL.plusMillis(5));
    }
}
