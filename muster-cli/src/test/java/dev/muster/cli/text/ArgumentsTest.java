package dev.muster.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MusterException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "250ms,250",
        "30s,30000",
        "5m,300000",
        "2h,7200000",
        "7d,604800000",
        "1w,604800000",
        "1h30m,5400000",
        "PT5M,300000",
        "0s,0"
    })
    void durationsHaveUnits(String text, long millis) {
        assertThat(DurationParser.parse(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "5", "s", "5x", "-5s", "5 s", "1h30", "P", "99999999999999999999s", "999999999999999999w"})
    void anInvalidDurationIsRefused(String text) {
        assertThatThrownBy(() -> DurationParser.parse(text)).isInstanceOf(MusterException.class);
    }

    @Test
    void momentsCanBeRelativeAbsoluteOrNumbers() {
        ZoneId vienna = ZoneId.of("Europe/Vienna");
        assertThat(Moments.parse("now", NOW, vienna)).isEqualTo(NOW);
        assertThat(Moments.parse("-5h", NOW, vienna)).isEqualTo(NOW.minusSeconds(5 * 3600));
        assertThat(Moments.parse("@1700000000123", NOW, vienna)).isEqualTo(Instant.ofEpochMilli(1_700_000_000_123L));
        assertThat(Moments.parse("2026-01-31T12:00:00Z", NOW, vienna)).isEqualTo(Instant.parse("2026-01-31T12:00:00Z"));
        assertThat(Moments.parse("2026-01-31T12:00:00-02:00", NOW, vienna))
                .isEqualTo(Instant.parse("2026-01-31T14:00:00Z"));
        assertThat(Moments.parse("2026-01-31T12:00", NOW, vienna)).isEqualTo(Instant.parse("2026-01-31T11:00:00Z"));
        assertThat(Moments.parse("2026-01-31", NOW, vienna)).isEqualTo(Instant.parse("2026-01-30T23:00:00Z"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yesterday", "@", "@1x", "2026-13-01", "2026-01-31T25:00Z", "-", "-5"})
    void anInvalidMomentIsRefused(String text) {
        assertThatThrownBy(() -> Moments.parse(text, NOW, ZoneOffset.UTC)).isInstanceOf(MusterException.class);
    }

    @Test
    void aPlaceIsAWordAnOffsetACountOrATime() {
        assertThat(place("start")).isEqualTo(new Place.Start());
        assertThat(place("end")).isEqualTo(new Place.End());
        assertThat(place("0")).isEqualTo(new Place.At(0));
        assertThat(place("42")).isEqualTo(new Place.At(42));
        assertThat(place("-100")).isEqualTo(new Place.BeforeEnd(100));
        assertThat(place("-5h")).isEqualTo(new Place.AtTime(NOW.minusSeconds(5 * 3600)));
        assertThat(place("@7")).isEqualTo(new Place.AtTime(Instant.ofEpochMilli(7)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "middle", "99999999999999999999", "5h", "1.5"})
    void anInvalidPlaceIsRefused(String text) {
        assertThatThrownBy(() -> place(text)).isInstanceOf(MusterException.class);
    }

    private static Place place(String text) {
        return Place.parse(text, NOW, ZoneOffset.UTC);
    }

    @ParameterizedTest
    @CsvSource({"512,512", "64k,65536", "64KiB,65536", "16MiB,16777216", "1G,1073741824", "3b,3", "1kb,1024"})
    void byteSizesHaveUnits(String text, long bytes) {
        assertThat(ByteSizes.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "b", "-1", "1.5k", "1x", "9999999999999999999", "9999999999G"})
    void anInvalidByteSizeIsRefused(String text) {
        assertThatThrownBy(() -> ByteSizes.parse(text)).isInstanceOf(MusterException.class);
    }

    @ParameterizedTest
    @CsvSource({"0,0 B", "1023,1023 B", "1024,1.00 KiB", "1536,1.50 KiB", "1048575,1.00 MiB", "12897485,12.3 MiB"})
    void byteSizesAreShownWithThreeDigits(long bytes, String text) {
        assertThat(ByteSizes.show(bytes)).isEqualTo(text);
    }

    @Test
    void aRateGivesTheTimeOfEachRecord() {
        assertThat(Rate.parse("200/s").dueNanos(1)).isEqualTo(5_000_000);
        assertThat(Rate.parse("200")).isEqualTo(Rate.parse("200/s"));
        assertThat(Rate.parse("3/s").dueNanos(3)).isEqualTo(1_000_000_000);
        assertThat(Rate.parse("60/m").dueNanos(1)).isEqualTo(1_000_000_000);
        assertThat(Rate.parse("999999999/s").dueNanos(Integer.MAX_VALUE * 100L)).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0/s", "-1/s", "x/s", "1/x", "1/", "/s", "99999999999/s"})
    void anInvalidRateIsRefused(String text) {
        assertThatThrownBy(() -> Rate.parse(text)).isInstanceOf(MusterException.class);
    }

    @Test
    void escapesBecomeBytes() {
        assertThat(Escapes.bytes("a\\n\\t\\r\\0\\\\\\x1f\\xFFé"))
                .isEqualTo(new byte[] {'a', '\n', '\t', '\r', 0, '\\', 0x1f, (byte) 0xff, (byte) 0xc3, (byte) 0xa9});
        assertThat(Escapes.bytes("plain")).isEqualTo("plain".getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\", "a\\q", "\\x", "\\x1", "\\xzz"})
    void anUnknownEscapeIsRefused(String text) {
        assertThatThrownBy(() -> Escapes.bytes(text)).isInstanceOf(MusterException.class);
    }
}
