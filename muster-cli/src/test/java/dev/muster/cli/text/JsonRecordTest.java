package dev.muster.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MusterException;
import dev.muster.core.json.Json;
import dev.muster.embedded.Message;
import dev.muster.embedded.Received;
import dev.muster.store.batch.Header;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonRecordTest {
    @Test
    void textIsAStringAndOtherBytesAreBase64() throws IOException {
        var record = new Received<>(
                "t", 1, 2, 3, bytes("k\"\n\u0001é"), new byte[] {(byte) 0xff}, List.of(new Header("h", null)));
        assertThat(line(record))
                .isEqualTo("{\"topic\":\"t\",\"partition\":1,\"offset\":2,\"timestamp\":3,\"key\":\"k\\\"\\n\\u0001é\","
                        + "\"valueBase64\":\"/w==\",\"headers\":[{\"key\":\"h\",\"value\":null}]}\n");
    }

    /** Goal: what is written is JSON by our own strict reader, and reading it gives the same bytes. */
    @Property(tries = 1000)
    void aRecordSurvivesTheWayThroughJson(
            @ForAll("contents") byte[] key,
            @ForAll("contents") byte[] value,
            @ForAll("contents") byte[] headerValue,
            @ForAll String headerKey)
            throws IOException {
        // A header's key is text; half a surrogate pair is not, and no log can hold it.
        byte[] headerKeyBytes = headerKey.getBytes(StandardCharsets.UTF_8);
        String cleanKey = new String(headerKeyBytes, StandardCharsets.UTF_8);
        var record = new Received<>(
                "t", 7, 8, 9, key, value, List.of(new Header(cleanKey, headerValue), new Header("x", bytes("y"))));
        String line = line(record);
        assertThat(Json.parse(line)).isInstanceOf(Map.class);
        Message<byte[], byte[]> back = parse(line.strip());
        assertThat(back.key()).isEqualTo(key);
        assertThat(back.value()).isEqualTo(value);
        assertThat(back.headers()).isEqualTo(record.headers());
        assertThat(back.partition()).isEqualTo(7);
        assertThat(back.timestamp().toEpochMilli()).isEqualTo(9);
    }

    @Provide
    Arbitrary<byte[]> contents() {
        Arbitrary<byte[]> anything = Arbitraries.bytes().array(byte[].class).ofMaxSize(20);
        Arbitrary<byte[]> text = Arbitraries.strings().ofMaxLength(20).map(s -> s.getBytes(StandardCharsets.UTF_8));
        // Bytes at the borders of UTF-8: lead bytes, continuations, surrogates, overlong forms.
        Arbitrary<byte[]> almostText = Arbitraries.of(
                        0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc2, 0xe0, 0xa0, 0xed, 0x9f, 0xf0, 0x90, 0xf4, 0x8f, 0xf5)
                .map(Integer::byteValue)
                .array(Byte[].class)
                .ofMaxSize(6)
                .map(JsonRecordTest::unboxed);
        return Arbitraries.oneOf(anything, text, almostText).injectNull(0.1);
    }

    /** Goal: our check of UTF-8 agrees with the JDK's decoder. */
    @Property(tries = 2000)
    void validityIsWhatTheDecoderSays(@ForAll("contents") byte[] bytes) {
        if (bytes == null) {
            return;
        }
        boolean same = java.util.Arrays.equals(
                bytes, new String(bytes, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8));
        assertThat(Utf8.isValid(bytes)).isEqualTo(same);
    }

    @Test
    void onlyTheValueMustBeThere() {
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
    void aLineThatIsNoRecordIsRefused(String line) {
        assertThatThrownBy(() -> parse(line)).isInstanceOf(MusterException.class);
    }

    @Test
    void bytesThatAreNotTextAreRefusedAndNotReplaced() {
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

    private static byte[] unboxed(Byte[] boxed) {
        byte[] bytes = new byte[boxed.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = boxed[i];
        }
        return bytes;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
