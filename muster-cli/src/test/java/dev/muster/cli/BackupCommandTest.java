package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
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

    /** Only the logs are put back: the journal of the group knows records that are not there. */
    @Test
    void olderLogsBesideANewerJournalAreReported() throws IOException {
        produce("a\nb\nc\n");
        data().run("backup", source(), directory.resolve("b").toString());
        produce("d\ne\n");
        assertThat(data().run("consume", "orders", "-g", "readers", "--exit").lines())
                .hasSize(5);
        assertThat(Cli.onDirectory(directory).run("check", source()).exitCode()).isZero();
        Path backup = directory.resolve("b").resolve("backup-000001");
        replaceTree(backup.resolve("logs"), directory.resolve("data").resolve("logs"));

        Cli.Result check = data().run("check", source());
        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(check.out()).contains("group readers has committed offset 5, but the log ends at 3");
        Cli.Result lag = data().run("group", "lag", "readers");
        assertThat(lag.err()).contains("orders-0: the committed offset 5 is beyond the end of the log, 3");
        assertThat(((Map<?, ?>) data().run("group", "lag", "readers", "-o", "json")
                                .json())
                        .get("aheadCount"))
                .isEqualTo(2L);
        assertThat(data().run("group", "describe", "readers").out()).contains("records gone");

        assertThat(data().run("consume", "orders", "-g", "readers", "--exit").lines())
                .isEmpty();
        // The commit was lowered: what is appended now is not skipped.
        produce("f\n");
        assertThat(data().run("consume", "orders", "-g", "readers", "--exit").lines())
                .containsExactly("f");
        assertThat(data().run("check", source()).exitCode()).isZero();
    }

    private static void replaceTree(Path from, Path to) throws IOException {
        try (var files = Files.walk(to)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        try (var files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
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
