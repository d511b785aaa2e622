package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MusterException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CodecTest {
    private static <T> void assertRoundTrip(Codec<T> codec, T value) {
        assertThat(codec.decode(codec.encode(value))).isEqualTo(value);
    }

    @Test
    void encodedValuesDecodeToTheSameValue() {
        assertRoundTrip(Codec.STRING, "Grüße 🎈");
        assertRoundTrip(Codec.STRING, "");
        assertRoundTrip(Codec.LONG, Long.MIN_VALUE);
        assertRoundTrip(Codec.INT, -1);
        assertRoundTrip(Codec.UUID, UUID.fromString("7d444840-9dc0-11d1-b245-5ffdce74fad2"));
        assertRoundTrip(Codec.BYTES, new byte[] {1, 2});
    }

    @Test
    void nullIsEncodedAndDecodedAsNull() {
        for (Codec<?> codec : List.of(Codec.STRING, Codec.LONG, Codec.INT, Codec.UUID, Codec.BYTES)) {
            assertThat(codec.encode(null)).isNull();
            assertThat(codec.decode(null)).isNull();
        }
    }

    @Test
    void numbersAreEncodedAsKafkaEncodesThem() {
        assertThat(Codec.LONG.encode(258L)).containsExactly(0, 0, 0, 0, 0, 0, 1, 2);
        assertThat(Codec.INT.encode(258)).containsExactly(0, 0, 1, 2);
    }

    @Test
    void decodingANumberOfAWrongSizeFails() {
        assertThatThrownBy(() -> Codec.LONG.decode(new byte[4]))
                .isInstanceOf(MusterException.class)
                .hasMessage("a LONG has 8 bytes, this value has 4");
    }
}
