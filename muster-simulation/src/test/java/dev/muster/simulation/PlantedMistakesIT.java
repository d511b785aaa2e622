package dev.muster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the simulation detects mistakes. Method: each mistake is planted, and one of the first seeds must find it, by
 * the invariant that it breaks directly. {@link Mistake} lists the invariants of each mistake.
 */
class PlantedMistakesIT {
    private static final int SEEDS_MAX = 400;
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
    @EnumSource
    void thePlantedMistakeIsFound(Mistake mistake) {
        Map<Invariant, Integer> others = new EnumMap<>(Invariant.class);
        for (long seed = 1; seed <= SEEDS_MAX; seed++) {
            Broken broken = run(mistake, seed);
            if (broken != null && mistake.breaks().contains(broken.invariant())) {
                System.out.printf(
                        "planted: %s (%s) found by seed %d; %s%n",
                        mistake, mistake.what(), seed, shortened(broken.getMessage()));
                return;
            }
            if (broken != null) {
                others.merge(broken.invariant(), 1, Integer::sum);
            }
        }
        assertThat(others.keySet())
                .as("what %d seeds found of: %s", SEEDS_MAX, mistake.what())
                .containsAnyElementsOf(mistake.breaks());
    }

    /** @return the broken invariant; null if no invariant of groups broke */
    private static Broken run(Mistake mistake, long seed) {
        try {
            new GroupRun(seed, mistake.planted()).run();
            return null;
        } catch (Broken e) {
            return e;
        } catch (AssertionError e) {
            return null;
        }
    }

    private static String shortened(String text) {
        return text.length() > 160 ? text.substring(0, 160) : text;
    }
}
