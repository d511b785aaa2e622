package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupCommandTest {
    @TempDir
    Path directory;

    @Test
    void backupPrintsItsFolderAndRestoreVerifiesIt() {
        produce("a\nb\n");
        Path to = directory.resolve("backups");
        Cli.Result backup = data().run("backup", source(), to.toString());
        assertThat(backup.exitCode()).isZero();
        assertThat(backup.out()).isEqualTo(to.resolve("backup-000001") + "\n");
        assertThat(backup.err()).contains("1 partition, 0 groups").contains("0 files shared");
        Path restored = directory.resolve("restored");
        Cli.Result restore = data().run("restore", to.toString(), restored.toString());
        assertThat(restore.exitCode()).isZero();
        assertThat(restore.err()).contains("restored and verified");
        assertThat(Cli.onDirectory(restored).run("consume", "orders", "--exit").out())
                .isEqualTo("a\nb\n");
    }

    @Test
    void backupTellsProgramsWhatItDid() {
        produce("a\n");
        Path to = directory.resolve("backups");
        Map<?, ?> told = (Map<?, ?>) data().run("backup", source(), to.toString(), "--keep", "1", "-o", "json")
                .json();
        assertThat(told.get("backup")).isEqualTo(to.resolve("backup-000001").toString());
        assertThat(told.get("partitions")).isEqualTo(1L);
        assertThat(((Map<?, ?>) data().run("backup", source(), to.toString(), "--keep", "1", "-o", "json")
                                .json())
                        .get("expired"))
                .isEqualTo(1L);
    }

    @Test
    void backupOfNothingIsNotFound() {
        Path to = directory.resolve("backups");
        assertThat(data().run("backup", source(), to.toString()).exitCode()).isEqualTo(3);
        assertThat(Files.exists(to)).isFalse();
        assertThat(data().run("backup", source(), to.toString(), "--keep", "0").exitCode())
                .isEqualTo(2);
    }

    @Test
    void directoryThatHoldsOtherFilesIsRefused() throws IOException {
        produce("a\n");
        Path full = Files.createDirectory(directory.resolve("full"));
        Files.writeString(full.resolve("letter.txt"), "x");
        Cli.Result backup = data().run("backup", source(), full.toString());
        assertThat(backup.exitCode()).isEqualTo(4);
        assertThat(backup.err()).contains("letter.txt");
        assertThat(data().run("backup", source(), directory.resolve("b").toString())
                        .exitCode())
                .isZero();
        Cli.Result restore = data().run("restore", directory.resolve("b").toString(), full.toString());
        assertThat(restore.exitCode()).isEqualTo(4);
        assertThat(restore.err()).contains("not empty");
        Cli.Result none =
                data().run("restore", full.toString(), directory.resolve("new").toString());
        assertThat(none.exitCode()).isEqualTo(3);
    }

    @Test
    void damagedSourceIsCopiedAndExitsWithOne() throws IOException {
        produce("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n");
        Path log;
        try (var files = Files.walk(directory.resolve("data").resolve("logs"))) {
            log = files.filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(log);
        bytes[bytes.length - 3] ^= 1;
        Files.write(log, bytes);
        Cli.Result backup =
                data().run("backup", source(), directory.resolve("b").toString());
        assertThat(backup.exitCode()).isEqualTo(1);
        assertThat(backup.err()).contains("damaged: " + log).contains("copied as it is");
    }

    private Cli data() {
        return Cli.onDirectory(directory.resolve("data"));
    }

    private String source() {
        return directory.resolve("data").toString();
    }

    private void produce(String lines) {
        assertThat(data().runWith(lines, "produce", "orders").exitCode()).isZero();
    }
}
