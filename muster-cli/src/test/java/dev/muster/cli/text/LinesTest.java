package dev.muster.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MusterException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LinesTest {
    @Test
    void aLastLineWithoutANewlineCounts() throws IOException {
        assertThat(lines("a\nb", 8)).containsExactly("a", "b");
        assertThat(lines("a\nb\n", 8)).containsExactly("a", "b");
        assertThat(lines("", 8)).isEmpty();
        assertThat(lines("\n\n", 8)).containsExactly("", "");
        assertThat(lines("a\r\nb", 8)).containsExactly("a\r", "b");
    }

    @Test
    void aLineLongerThanTheBufferIsWhole() throws IOException {
        String line = "x".repeat(300_000);
        assertThat(lines(line + "\n" + line, 1 << 16)).containsExactly(line, line);
    }

    @Test
    void aTooLongLineIsRefusedWithItsNumber() {
        Lines lines = new Lines(stream("a\n" + "x".repeat(300_000)), 100_000);
        assertThatThrownBy(() -> {
                    while (lines.next()) {
                        assertThat(lines.number()).isEqualTo(1);
                    }
                })
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("line 2");
    }

    /** No byte is lost or moved, no matter how the stream is cut into reads. */
    @Test
    void joinedLinesAreTheInput() throws IOException {
        long seed = Long.getLong("muster.seed", new Random().nextLong());
        System.out.println("LinesTest: -Dmuster.seed=" + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            byte[] input = new byte[random.nextInt(401)];
            for (int at = 0; at < input.length; at++) {
                // A newline and its neighbours.
                input[at] = (byte) random.nextInt(8, 13);
            }
            assertThat(joinedLines(input, random.nextInt(1, 51))).isEqualTo(input);
        }
    }

    private static byte[] joinedLines(byte[] input, int step) throws IOException {
        Lines lines = new Lines(slow(input, step), 1 << 20);
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        while (lines.next()) {
            joined.write(lines.buffer(), lines.from(), lines.to() - lines.from());
            if (lines.isWhole()) {
                joined.write('\n');
            }
        }
        return joined.toByteArray();
    }

    private static InputStream slow(byte[] input, int step) {
        return new ByteArrayInputStream(input) {
            @Override
            public synchronized int read(byte[] into, int from, int length) {
                return super.read(into, from, Math.min(step, length));
            }
        };
    }

    private static ByteArrayInputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> lines(String text, int step) throws IOException {
        Lines lines = new Lines(slow(text.getBytes(StandardCharsets.UTF_8), step), 1 << 20);
        List<String> all = new ArrayList<>();
        while (lines.next()) {
            all.add(new String(Arrays.copyOfRange(lines.buffer(), lines.from(), lines.to()), StandardCharsets.UTF_8));
            assertThat(lines.number()).isEqualTo(all.size());
        }
        return all;
    }
}
