package dev.muster.store.file.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EscapedNameTest {
    private static final int TRIES = 1000;
    private static final long SEED = Long.getLong("muster.seed", new Random().nextLong());

    static {
        System.out.println("EscapedNameTest: -Dmuster.seed=" + SEED);
    }

    private final Random random = new Random(SEED);

    @ParameterizedTest
    @CsvSource({
        "workers, workers",
        "Workers_2.b-c, Workers_2.b-c",
        "., %2E",
        ".., %2E.",
        ".hidden, %2Ehidden",
        "a/b, a%2Fb",
        "a%2Fb, a%252Fb",
        "grün, gr%C3%BCn",
        "a b, a%20b"
    })
    void plainNamesStayAndTheRestIsEscaped(String name, String file) {
        assertThat(EscapedName.of(name)).isEqualTo(file);
    }

    @Test
    void escapedNameCannotLeaveItsFolder() {
        for (int i = 0; i < TRIES; i++) {
            String file = EscapedName.of(name(1, 249));
            assertThat(file).matches("[a-zA-Z0-9%_-][a-zA-Z0-9%._~-]*");
            assertThat(file.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(1, 200);
        }
    }

    @Test
    void differentNamesGetDifferentFiles() {
        for (int i = 0; i < TRIES; i++) {
            String one = name(1, 80);
            String other = random.nextInt(3) == 0 ? one : changed(one);
            byte[] first = one.getBytes(StandardCharsets.UTF_8);
            byte[] second = other.getBytes(StandardCharsets.UTF_8);
            assertThat(EscapedName.of(one).equals(EscapedName.of(other))).isEqualTo(Arrays.equals(first, second));
        }
    }

    @Test
    void longNamesThatDifferOnlyAtTheEndGetDifferentFiles() {
        for (int i = 0; i < TRIES; i++) {
            String name = name(200, 240);
            assertThat(EscapedName.of(name + "a")).isNotEqualTo(EscapedName.of(name + "b"));
        }
    }

    /** A random name of plain characters, escaped characters, any characters, or halves of surrogate pairs. */
    private String name(int lengthMin, int lengthMax) {
        int length = random.nextInt(lengthMin, lengthMax + 1);
        int below = random.nextBoolean() ? 128 : Character.MAX_VALUE + 1;
        StringBuilder name = new StringBuilder();
        while (name.length() < length) {
            name.append((char) random.nextInt(below));
        }
        return name.toString();
    }

    private String changed(String name) {
        StringBuilder changed = new StringBuilder(name);
        changed.setCharAt(random.nextInt(name.length()), name(1, 1).charAt(0));
        return changed.toString();
    }
}
