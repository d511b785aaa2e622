package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Behaviour that needs a process of its own: signals, exit codes, closed pipes. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ProcessIT {
    @TempDir
    Path temp;

    private Process start(String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.muster.cli.Main",
                "--data",
                temp.resolve("data").toString()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @Test
    void aTerminatedProducerHasReportedAllAcknowledgements() throws Exception {
        Process producer = start("produce", "t", "-o", "jsonl");
        try (OutputStream in = producer.getOutputStream();
                BufferedReader out = producer.inputReader(StandardCharsets.UTF_8)) {
            in.write("one\ntwo\nhalf a li".getBytes(StandardCharsets.UTF_8));
            in.flush();
            assertThat(out.readLine()).contains("\"offset\":0,");
            assertThat(out.readLine()).contains("\"offset\":1,");
            producer.toHandle().destroy();
            assertThat(producer.waitFor()).isEqualTo(143);
            assertThat(out.readLine()).isNull();
        }
        Process consumer = start("consume", "t", "--exit");
        assertThat(consumer.getInputStream().readAllBytes())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("one\ntwo\n");
        assertThat(consumer.waitFor()).isZero();
    }

    @Test
    void aConsumerEndsWhenItsReaderIsGone() throws Exception {
        Process consumer = start("consume", "t", "--wait", "-q");
        try (BufferedReader out = consumer.inputReader(StandardCharsets.UTF_8)) {
            produce("first");
            assertThat(out.readLine()).isEqualTo("first");
        }
        // The pipe is closed now; the consumer notices at the next record.
        produce("second");
        assertThat(consumer.waitFor()).isZero();
    }

    private void produce(String line) throws Exception {
        Process producer = start("produce", "t", "-q");
        try (OutputStream in = producer.getOutputStream()) {
            in.write(line.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(producer.waitFor()).isZero();
    }
}
