package dev.muster.core.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.entry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @Test
    void anObjectIsReadInTheOrderOfItsText() {
        Object value = Json.parse(" {\"b\": [1, -2.5, true, false, null, \"x\"], \"a\" :{}} \n");

        assertThat(value)
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsExactly(entry("b", Arrays.asList(1L, -2.5, true, false, null, "x")), entry("a", Map.of()));
    }

    @Test
    void escapesAreUnderstood() {
        assertThat(Json.parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\ude00 é\""))
                .isEqualTo("\"\\/\b\f\n\r\té\ud83d\ude00 é");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, 9007199254740993L})
    void wholeNumbersAreExact(long number) {
        assertThat(Json.parse(Long.toString(number))).isEqualTo(number);
        assertThat(Json.write(number)).isEqualTo(Long.toString(number));
    }

    @Test
    void otherNumbersAreDoubles() {
        assertThat(Json.parse("[1.0, 1e3, 1E-2, -0.5e+1, 9223372036854775808, 123456789012345678901234567890]"))
                .isEqualTo(List.of(1.0, 1000.0, 0.01, -5.0, 9223372036854775808.0, 1.2345678901234568E29));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[",
                "[1",
                "[1,",
                "[1,]",
                "[,1]",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{a:1}",
                "{'a':1}",
                "01",
                "-",
                "+1",
                "1.",
                ".5",
                "1e",
                "1e999",
                "NaN",
                "tru",
                "nul",
                "\"",
                "\"\\",
                "\"\\x\"",
                "\"\\u12g4\"",
                "\"\\u12",
                "\"\n\"",
                "\"\t\"",
                "1 2",
                "[1] x",
                "{\"a\":1,\"a\":2}",
                "\u00a01",
                "\ufeff1",
                "// 1",
                "{\"a\" 1}",
                "\"\\u٠٠٠٠\""
            })
    void whatIsNotJsonIsRefused(String text) {
        assertThatExceptionOfType(JsonException.class).isThrownBy(() -> Json.parse(text));
    }

    @Test
    void anErrorSaysWhere() {
        assertThatExceptionOfType(JsonException.class)
                .isThrownBy(() -> Json.parse("{\n  \"a\": 1,\n  \"b\": x\n}"))
                .withMessage("not JSON: line 3, column 8: a value should be here")
                .satisfies(e -> assertThat(e.position()).isEqualTo(19));
        assertThatExceptionOfType(JsonException.class)
                .isThrownBy(() -> Json.parse(""))
                .withMessageContaining("line 1, column 1");
    }

    @Test
    void depthIsBounded() {
        assertThat(Json.parse("[".repeat(100) + "]".repeat(100))).isNotNull();
        assertThatExceptionOfType(JsonException.class).isThrownBy(() -> Json.parse("[".repeat(1_000_000)));
        assertThatExceptionOfType(JsonException.class).isThrownBy(() -> Json.parse("{\"a\":".repeat(1_000_000)));
        List<Object> endless = new ArrayList<>();
        endless.add(endless);
        assertThatIllegalStateException().isThrownBy(() -> Json.write(endless));
    }

    @Test
    void whatCouldHurtAReaderIsEscaped() {
        assertThat(Json.write("\"\\\n\r\t\b\u0000\u007f\u009b é\ud83d\ude00/"))
                .isEqualTo("\"\\\"\\\\\\n\\r\\t\\u0008\\u0000\\u007f\\u009b é\ud83d\ude00/\"");
        assertThat(Json.write("\ud800x\udc00")).isEqualTo("\"\\ud800x\\udc00\"");
    }

    @Test
    void aLineIsWrittenPieceByPiece() {
        JsonWriter line = new JsonWriter()
                .object()
                .field("a", 1)
                .field("b", "x")
                .name("c")
                .array()
                .value(1)
                .value(null)
                .end();
        line.name("d")
                .object()
                .end()
                .field("e", Map.of("f", List.of(1.5, true)))
                .end();

        assertThat(line).hasToString("{\"a\":1,\"b\":\"x\",\"c\":[1,null],\"d\":{},\"e\":{\"f\":[1.5,true]}}");
        assertThatIllegalStateException().isThrownBy(line::end);
    }

    @Test
    void numbersThatJsonLacksAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Json.write(Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> Json.write(Float.NEGATIVE_INFINITY));
    }

    @Property(tries = 500)
    void whatIsWrittenIsReadBack(@ForAll("values") Object value) {
        assertThat(Json.parse(Json.write(value))).isEqualTo(value);
    }

    @Property(tries = 2000)
    void anyTextIsReadOrRefused(@ForAll("nearlyJson") String text) {
        try {
            Json.write(Json.parse(text));
        } catch (JsonException e) {
            assertThat(e.position()).isBetween(0, text.length());
        }
    }

    @Provide
    Arbitrary<String> nearlyJson() {
        return Arbitraries.of(
                        "{", "}", "[", "]", ",", ":", "\"a\"", "\"", "\\", "\\u00", "1", "-", ".5", "e", "true", "null",
                        " ", "\ud800")
                .list()
                .ofMaxSize(12)
                .map(parts -> String.join("", parts));
    }

    @Provide
    Arbitrary<Object> values() {
        Arbitrary<Object> leaves = Arbitraries.oneOf(
                Arbitraries.strings().asGeneric(),
                Arbitraries.longs().asGeneric(),
                Arbitraries.doubles().asGeneric(),
                Arbitraries.of(true, false).asGeneric(),
                Arbitraries.just(null));
        return Arbitraries.recursive(
                () -> leaves,
                inner -> Arbitraries.oneOf(
                        inner.list().ofMaxSize(4).asGeneric(),
                        Arbitraries.maps(Arbitraries.strings(), inner)
                                .ofMaxSize(4)
                                .asGeneric()),
                0,
                3);
    }
}
