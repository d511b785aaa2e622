package dev.muster.core.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.entry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    private static final long SEED = Long.getLong("muster.seed", new Random().nextLong());
    private static final List<String> PIECES = List.of(
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"", "\\", "\\u00", "1", "-", ".5", "e", "true", "null", " ",
            "\ud800");

    static {
        System.out.println("JsonTest: -Dmuster.seed=" + SEED);
    }

    private final Random random = new Random(SEED);

    @Test
    void anObjectIsReadInTheOrderOfItsText() {
        Object value = Json.parse(" {\"b\": [1, -2.5, true, false, null, \"x\"], \"a\" :{}} \n");

        assertThat(value)
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsExactly(entry("b", Arrays.asList(1L, -2.5, true, false, null, "x")), entry("a", Map.of()));
    }

    @Test
    void escapesAreDecoded() {
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
    void numbersWithFractionOrExponentAreDoubles() {
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
    void invalidJsonIsRefused(String text) {
        assertThatExceptionOfType(JsonException.class).isThrownBy(() -> Json.parse(text));
    }

    @Test
    void anErrorNamesLineAndColumn() {
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
    void controlCharactersAndLoneSurrogatesAreEscaped() {
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

    @Test
    void writtenValuesAreReadBackUnchanged() {
        for (int i = 0; i < 500; i++) {
            Object value = value(3);
            assertThat(Json.parse(Json.write(value))).isEqualTo(value);
        }
    }

    @Test
    void randomTextIsReadOrRefusedWithJsonException() {
        for (int i = 0; i < 2000; i++) {
            StringBuilder pieces = new StringBuilder();
            for (int count = random.nextInt(13); count > 0; count--) {
                pieces.append(PIECES.get(random.nextInt(PIECES.size())));
            }
            String text = pieces.toString();
            try {
                Json.write(Json.parse(text));
            } catch (JsonException e) {
                assertThat(e.position()).isBetween(0, text.length());
            }
        }
    }

    /** A random JSON value with at most this depth of nested lists and objects. */
    private Object value(int depth) {
        return switch (random.nextInt(depth == 0 ? 5 : 9)) {
            case 0 -> text();
            case 1 -> random.nextLong() >> random.nextInt(64);
            case 2 -> number();
            case 3 -> random.nextBoolean();
            case 4 -> null;
            case 5, 6 -> {
                List<Object> list = new ArrayList<>();
                for (int count = random.nextInt(5); count > 0; count--) {
                    list.add(value(depth - 1));
                }
                yield list;
            }
            default -> {
                Map<String, Object> map = new HashMap<>();
                for (int count = random.nextInt(5); count > 0; count--) {
                    map.put(text(), value(depth - 1));
                }
                yield map;
            }
        };
    }

    /** A random finite number of any size. */
    private double number() {
        double number = random.nextBoolean() ? random.nextGaussian() : Double.longBitsToDouble(random.nextLong());
        return Double.isFinite(number) ? number : random.nextInt() / 100.0;
    }

    /** A text of random characters, including lone surrogates. */
    private String text() {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(random.nextInt(20) == 0 ? 256 : 12); length > 0; length--) {
            text.append((char) random.nextInt(random.nextBoolean() ? 128 : Character.MAX_VALUE + 1));
        }
        return text.toString();
    }
}
