package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
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
    void backupPrintsAnObjectWithJson() {
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

    /** The backup holds the records too, so no more users may read it than the directory. */
    @Test
    void backupGrantsNoRightsThatTheDirectoryDoesNotGrant() throws IOException {
        produce("a\n");
        Path source = directory.resolve("data");
        Path existing = Files.createDirectory(directory.resolve("existing"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(existing, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(source, PosixFilePermissions.fromString("rwx------"));
        for (Path to : List.of(directory.resolve("b"), existing)) {
            assertThat(data().run("backup", source(), to.toString()).exitCode()).isZero();
            assertThat(mode(to.resolve("backup-000001"))).isEqualTo("rwx------");
        }
        assertThat(mode(directory.resolve("b"))).isEqualTo("rwx------");
        assertThat(mode(existing)).isEqualTo("rwxr-xr-x");
        Path restored = directory.resolve("restored");
        assertThat(data().run("restore", existing.toString(), restored.toString())
                        .exitCode())
                .isZero();
        assertThat(mode(restored)).isEqualTo("rwx------");
        try (var all = Files.walk(restored)) {
            assertThat(all).allSatisfy(each -> assertThat(mode(each)).endsWith("------"));
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void unsuitableTargetsAreRefused() throws IOException {
        produce("a\n");
        Path file = Files.writeString(directory.resolve("file"), "x");
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("data/logs"));
        for (Path to : List.of(file, link.resolve("b"), directory.resolve("data/b"), directory)) {
            Cli.Result backup = data().run("backup", source(), to.toString());
            assertThat(backup.exitCode()).as("%s", to).isEqualTo(4);
            assertThat(backup.err()).contains(to.toString());
        }
        Path b = directory.resolve("b");
        assertThat(data().run("backup", source(), b.toString()).exitCode()).isZero();
        for (Path to : List.of(file, b, b.resolve("restored"), b.resolve("backup-000001"))) {
            Cli.Result restore = data().run("restore", b.toString(), to.toString());
            assertThat(restore.exitCode()).as("%s", to).isEqualTo(4);
            assertThat(restore.err()).contains(to.toString());
        }
        assertThat(data().run("backup", source(), b.toString()).exitCode()).isZero();
    }

    @Test
    void aDamagedSourceIsCopiedWithExitCode1() throws IOException {
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

    /** Each of these was once left out silently, or ended the backup. */
    @Test
    void missingPartsAreNamedAndTheRestIsBackedUp() throws IOException {
        Path data = directory.resolve("data");
        produce("a\nb\n");
        data().runWith("x\n", "produce", "other");
        data().run("topic", "create", "wide", "--partitions", "3");
        data().run("consume", "orders", "-g", "lost", "--exit");
        data().run("consume", "orders", "-g", "kept", "--exit");
        Path good = directory.resolve("b").resolve("backup-000001");
        assertThat(backup().exitCode()).isZero();

        Path journal = only(data.resolve("consumer-groups/lost"), "journal-");
        deleteTree(journal);
        Path partition = logsOf("wide").resolve("partition-1");
        deleteTree(partition);
        Path records = logsOf("other");
        Files.delete(data.resolve("topics/other/topic.json"));
        Files.delete(records.resolve("topic.json"));
        for (int i = 0; i < 4; i++) {
            Cli.Result backup = backup();
            assertThat(backup.exitCode()).isEqualTo(1);
            assertThat(backup.err())
                    .contains(journal + ": the folder of the journal is missing; it is not in the backup")
                    .contains(partition + ": the folder of the partition is missing; it is not in the backup")
                    .contains(records + ": records of an unknown topic");
        }
        // Three backups are kept, and besides them the newest one without damage.
        assertThat(good).exists();
        assertThat(directory.resolve("b").resolve("backup-000002")).doesNotExist();
        Path restored = directory.resolve("restored");
        Cli.Result restore = data().run("restore", directory.resolve("b").toString(), restored.toString());
        assertThat(restore.exitCode()).isZero();
        assertThat(restore.err()).contains("it is not in the backup");
        assertThat(Cli.onDirectory(restored).run("consume", "orders", "--exit").out())
                .isEqualTo("a\nb\n");
        assertThat(Cli.onDirectory(restored).run("group", "list", "-o", "name").lines())
                .containsExactly("kept");
    }

    private Cli.Result backup() {
        return data().run("backup", source(), directory.resolve("b").toString());
    }

    private Path logsOf(String topic) throws IOException {
        String id = (String) ((Map<?, ?>) Json.parse(Files.readString(
                        directory.resolve("data/topics").resolve(topic).resolve("topic.json"))))
                .get("id");
        return directory.resolve("data/logs").resolve(id);
    }

    private static Path only(Path folder, String prefix) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Only the logs are restored, so the journal of the group has commits beyond their end. */
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
        // The commit was lowered, so records appended now are not skipped.
        produce("f\n");
        assertThat(data().run("consume", "orders", "-g", "readers", "--exit").lines())
                .containsExactly("f");
        assertThat(data().run("check", source()).exitCode()).isZero();
    }

    private static void deleteTree(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void replaceTree(Path from, Path to) throws IOException {
        deleteTree(to);
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
