package dev.muster.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.Header;
import dev.muster.core.MusterException;
import dev.muster.core.json.Json;
import dev.muster.embedded.Message;
import dev.muster.embedded.Received;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonRecordTest {
    private static final long SEED = Long.getLong("muster.seed", new Random().nextLong());
    /** Bytes at the borders of UTF-8: lead bytes, continuations, surrogates, overlong forms. */
    private static final int[] ALMOST_TEXT = {
        0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc2, 0xe0, 0xa0, 0xed, 0x9f, 0xf0, 0x90, 0xf4, 0x8f, 0xf5
    };

    static {
        System.out.println("JsonRecordTest: -Dmuster.seed=" + SEED);
    }

    private final Random random = new Random(SEED);

    @Test
    void textIsAStringAndOtherBytesAreBase64() throws IOException {
        var record = new Received<>(
                "t", 1, 2, 3, bytes("k\"\n\u0001é"), new byte[] {(byte) 0xff}, List.of(new Header("h", null)));
        assertThat(line(record))
                .isEqualTo("{\"topic\":\"t\",\"partition\":1,\"offset\":2,\"timestamp\":3,\"key\":\"k\\\"\\n\\u0001é\","
                        + "\"valueBase64\":\"/w==\",\"headers\":[{\"key\":\"h\",\"value\":null}]}\n");
    }

    /** The written JSON is valid for our strict reader, and reading it gives the same bytes. */
    @Test
    void aRecordSurvivesTheRoundTripThroughJson() throws IOException {
        for (int i = 0; i < 1000; i++) {
            byte[] key = contents();
            byte[] value = contents();
            // A header's key is text. Half a surrogate pair is no text, and no log can hold it.
            String headerKey = new String(bytes(text()), StandardCharsets.UTF_8);
            var record = new Received<>(
                    "t", 7, 8, 9, key, value, List.of(new Header(headerKey, contents()), new Header("x", bytes("y"))));
            String line = line(record);
            assertThat(Json.parse(line)).isInstanceOf(Map.class);
            Message<byte[], byte[]> back = parse(line.strip());
            assertThat(back.key()).isEqualTo(key);
            assertThat(back.value()).isEqualTo(value);
            assertThat(back.headers()).isEqualTo(record.headers());
            assertThat(back.partition()).isEqualTo(7);
            assertThat(back.timestamp().toEpochMilli()).isEqualTo(9);
        }
    }

    /** Our check of UTF-8 agrees with the decoder of the JDK. */
    @Test
    void theUtf8CheckAgreesWithTheDecoder() {
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = contents();
            if (bytes != null) {
                byte[] decoded = bytes(new String(bytes, StandardCharsets.UTF_8));
                assertThat(Utf8.isValid(bytes)).isEqualTo(Arrays.equals(bytes, decoded));
            }
        }
    }

    /** Any bytes, text, bytes that are nearly text, or null. */
    private byte[] contents() {
        return switch (random.nextInt(10)) {
            case 0 -> null;
            case 1, 2, 3 -> {
                byte[] anything = new byte[random.nextInt(21)];
                random.nextBytes(anything);
                yield anything;
            }
            case 4, 5, 6 -> bytes(text());
            default -> {
                byte[] almostText = new byte[random.nextInt(7)];
                for (int at = 0; at < almostText.length; at++) {
                    almostText[at] = (byte) ALMOST_TEXT[random.nextInt(ALMOST_TEXT.length)];
                }
                yield almostText;
            }
        };
    }

    /** Any characters, halves of surrogate pairs too. */
    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(21); i > 0; i--) {
            text.append((char) random.nextInt(random.nextBoolean() ? 128 : Character.MAX_VALUE + 1));
        }
        return text.toString();
    }

    @Test
    void onlyTheValueIsRequired() {
        Message<byte[], byte[]> record = parse("{\"value\":\"v\"}");
        assertThat(record.value()).isEqualTo(bytes("v"));
        assertThat(record.key()).isNull();
        assertThat(record.timestamp()).isNull();
        assertThat(record.partition()).isNull();
        assertThat(record.headers()).isEmpty();
        assertThat(parse("{\"value\":null}").value()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7",
                "[]",
                "{",
                "{}",
                "{\"key\":\"k\"}",
                "{\"value\":1}",
                "{\"value\":{}}",
                "{\"value\":\"v\",\"vlaue\":1}",
                "{\"value\":\"v\",\"valueBase64\":\"dg==\"}",
                "{\"valueBase64\":\"?\"}",
                "{\"valueBase64\":7}",
                "{\"value\":\"v\",\"partition\":-1}",
                "{\"value\":\"v\",\"partition\":\"0\"}",
                "{\"value\":\"v\",\"timestamp\":1.5}",
                "{\"value\":\"\\ud800\"}",
                "{\"value\":\"v\",\"headers\":{}}",
                "{\"value\":\"v\",\"headers\":[1]}",
                "{\"value\":\"v\",\"headers\":[{\"value\":\"x\"}]}",
                "{\"value\":\"v\",\"headers\":[{\"key\":\"k\",\"val\":\"x\"}]}"
            })
    void anInvalidLineIsRefused(String line) {
        assertThatThrownBy(() -> parse(line)).isInstanceOf(MusterException.class);
    }

    @Test
    void invalidUtf8IsRefused() {
        byte[] line = {'{', '"', 'v', 'a', 'l', 'u', 'e', '"', ':', '"', (byte) 0xff, '"', '}'};
        assertThatThrownBy(() -> JsonRecordParser.parse(line, 0, line.length)).isInstanceOf(MusterException.class);
    }

    private static Message<byte[], byte[]> parse(String line) {
        byte[] bytes = ("##" + line + "##").getBytes(StandardCharsets.UTF_8);
        return JsonRecordParser.parse(bytes, 2, bytes.length - 2);
    }

    private static String line(Received<byte[], byte[]> record) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteSink sink = new ByteSink(out, 1);
        new JsonRecordWriter().write(sink, record);
        sink.flush();
        return out.toString(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
