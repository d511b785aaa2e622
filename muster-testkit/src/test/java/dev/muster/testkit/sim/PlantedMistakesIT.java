package dev.muster.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the simulation is not blind. Method: each mistake is put in, and one of the first seeds must find it, and by
 * what the mistake does.
 */
class PlantedMistakesIT {
    private static final int SEEDS_MAX = 200;
    private static final Logger MUSTER = Logger.getLogger("dev.muster");

    @BeforeAll
    static void quiet() {
        MUSTER.setLevel(Level.OFF);
    }

    @AfterAll
    static void loud() {
        MUSTER.setLevel(null);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LOCK_NEVER_RELEASED") // see there
    void theMistakeIsFound(Mistake mistake) {
        for (long seed = 1; seed <= SEEDS_MAX; seed++) {
            String why = whyItFails(mistake, seed);
            if (why != null
                    && !why.contains("waits for a monitor")
                    && why.matches("(?s).*(" + mistake.symptom() + ").*")) {
                System.out.printf(
                        "planted: %s (%s) found by seed %d, the how manieth tried: %<d; %s%n",
                        mistake, mistake.what(), seed, why.length() > 160 ? why.substring(0, 160) : why);
                return;
            }
        }
        assertThat(SEEDS_MAX)
                .as("seeds, none of which found: %s", mistake.what())
                .isZero();
    }

    private static String whyItFails(Mistake mistake, long seed) {
        try {
            new GroupRun(seed, mistake.planted()).run();
            return null;
        } catch (AssertionError e) {
            return e.getMessage() + (e.getCause() == null ? "" : ": " + e.getCause());
        }
    }
}
