package dev.muster.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.Header;
import dev.muster.core.MusterException;
import dev.muster.embedded.Received;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordFormatTest {
    private static final Received<byte[], byte[]> RECORD = new Received<>(
            "orders",
            3,
            42,
            1_700_000_000_000L,
            bytes("k"),
            bytes("value"),
            List.of(new Header("a", bytes("1")), new Header("b", null)));
    private static final Received<byte[], byte[]> TOMBSTONE = new Received<>("orders", 0, 0, -1, null, null, List.of());

    @Test
    void theLettersAreThoseOfKcat() throws IOException {
        assertThat(written("%t %p %o %k %s %h %T %K %S %%\\n", RECORD))
                .isEqualTo("orders 3 42 k value a=1,b= 1700000000000 1 5 %\n");
        assertThat(written("%R", RECORD)).isEqualTo("\0\0\0\5");
    }

    @Test
    void nullHasNoBytesAndLengthMinusOne() throws IOException {
        assertThat(written("[%k|%s|%K|%S|%h]", TOMBSTONE)).isEqualTo("[||-1|-1|]");
    }

    @Test
    void anUnknownLetterIsRefused() {
        assertThatThrownBy(() -> RecordFormat.parse("%q"))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("%q");
        assertThatThrownBy(() -> RecordFormat.parse("100%")).isInstanceOf(MusterException.class);
    }

    private static String written(String format, Received<byte[], byte[]> record) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteSink sink = new ByteSink(out, 4);
        RecordFormat.parse(format).write(sink, record);
        sink.flush();
        return out.toString(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
