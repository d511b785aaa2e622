package dev.muster.cli.produce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MusterException;
import dev.muster.embedded.Position;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class AcknowledgementsTest {
    private static Position position(long offset) {
        return new Position("t", 0, offset, 7);
    }

    @Test
    void anAcknowledgementIsWrittenAtOnce() throws IOException {
        PipedInputStream reader = new PipedInputStream();
        Acknowledgements acknowledgements = new Acknowledgements(new PipedOutputStream(reader));
        CompletableFuture<Position> first = new CompletableFuture<>();
        CompletableFuture<Position> second = new CompletableFuture<>();
        acknowledgements.expect(first);
        acknowledgements.expect(second);
        assertThat(reader.available()).isZero();
        first.complete(position(0));
        // The second is still in flight, and no input comes. The first must be reported nevertheless.
        assertThat(line(reader)).isEqualTo("{\"topic\":\"t\",\"partition\":0,\"offset\":0,\"timestamp\":7}");
        assertThat(acknowledgements.acknowledged()).isEqualTo(1);
        assertThat(reader.available()).isZero();
        second.complete(position(1));
        assertThat(line(reader)).contains("\"offset\":1,");
        acknowledgements.close();
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            assertThat(c).isNotEqualTo(-1);
            line.append((char) c);
        }
        return line.toString();
    }

    @Test
    void acknowledgementsAfterAFailureAreStillReported() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Acknowledgements acknowledgements = new Acknowledgements(out);
        CompletableFuture<Position> bad = new CompletableFuture<>();
        CompletableFuture<Position> good = new CompletableFuture<>();
        acknowledgements.expect(bad);
        acknowledgements.expect(good);
        MusterException problem = new MusterException("no");
        bad.completeExceptionally(problem);
        assertThat(acknowledgements.isBroken()).isTrue();
        good.complete(position(5));
        acknowledgements.close();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("\"offset\":5,")
                .hasLineCount(1);
        assertThat(acknowledgements.failure()).isEqualTo(new Acknowledgements.Failure("record 1", problem));
        assertThat(acknowledgements.acknowledged()).isEqualTo(1);
    }

    @Test
    void manyLinesKeepTheirOrder() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Acknowledgements acknowledgements = new Acknowledgements(out);
        List<CompletableFuture<Position>> futures = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            futures.add(new CompletableFuture<>());
            acknowledgements.expect(futures.getLast());
        }
        for (int i = 0; i < futures.size(); i++) {
            futures.get(i).complete(position(i));
        }
        acknowledgements.close();
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).hasSize(100_000);
        for (int i = 0; i < lines.size(); i += 997) {
            assertThat(lines.get(i)).contains("\"offset\":" + i + ",");
        }
    }

    @Test
    void aClosedOutputStopsTheSender() {
        Acknowledgements acknowledgements = new Acknowledgements(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        });
        acknowledgements.expect(CompletableFuture.completedFuture(position(0)));
        acknowledgements.close();
        assertThat(acknowledgements.isBroken()).isTrue();
        assertThat(acknowledgements.failure()).isNull();
        assertThat(acknowledgements.outputFailure()).hasMessage("Broken pipe");
        assertThat(acknowledgements.acknowledged()).isEqualTo(1);
    }
}
