package dev.muster.store.file.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EscapedNameTest {
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

    @Property
    void aNameIsAFileNameThatCannotLeaveItsFolder(@ForAll @StringLength(min = 1, max = 249) String name) {
        String file = EscapedName.of(name);
        assertThat(file).matches("[a-zA-Z0-9%_-][a-zA-Z0-9%._~-]*");
        assertThat(file.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(1, 200);
    }

    @Property
    void twoNamesAreNeverOneFile(
            @ForAll @StringLength(min = 1, max = 80) String one,
            @ForAll @StringLength(min = 1, max = 80) String other) {
        byte[] first = one.getBytes(StandardCharsets.UTF_8);
        byte[] second = other.getBytes(StandardCharsets.UTF_8);
        assertThat(EscapedName.of(one).equals(EscapedName.of(other))).isEqualTo(Arrays.equals(first, second));
    }

    @Property
    void longNamesThatDifferAtTheEndOnlyDiffer(@ForAll @StringLength(min = 200, max = 240) String name) {
        assertThat(EscapedName.of(name + "a")).isNotEqualTo(EscapedName.of(name + "b"));
    }
}
