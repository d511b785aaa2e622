package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.Mount;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands on a disk without a free block. Needs root, to mount a small file system. */
class FullDiskTrialIT {
    private static final int RECORDS = 3_000;

    @TempDir
    Path scratch;

    private Mount mount;
    private Path data;
    private Ballast ballast;
    private MusterCommand muster;

    @BeforeEach
    void makeASmallDisk() throws Exception {
        mount = Mount.tmpfs(scratch, 16);
        data = mount.folder().resolve("data");
        ballast = new Ballast(mount.folder());
        muster = MusterCommand.on(data);
        assertThat(muster.run("topic", "create", "orders", "--set", "segment.bytes=20000")
                        .exit())
                .isZero();
        String input = String.join(
                        "\n",
                        IntStream.range(0, RECORDS).mapToObj(Integer::toString).toList()) + "\n";
        assertThat(muster.runWithInput(input, "produce", "orders").exit()).isZero();
        assertThat(muster.run("consume", "orders", "-g", "readers", "--id", "A", "-n", "10")
                        .out())
                .hasSize(10);
    }

    @AfterEach
    void unmount() {
        if (mount != null) {
            mount.close();
        }
    }

    /** Deletes the pages of this boot, as a reboot would: the next writing process must create them. */
    private void deletePages() throws IOException {
        deleteAll(path -> path.getFileName().toString().matches("(control|wake|housekeeping)-.*")
                || path.getFileName().toString().startsWith("group-") && Files.isRegularFile(path));
    }

    private void deleteReserve() throws IOException {
        deleteAll(path -> path.getFileName().toString().startsWith("piece-"));
    }

    private interface Which {
        boolean is(Path path);
    }

    private void deleteAll(Which which) throws IOException {
        List<Path> found;
        try (Stream<Path> all = Files.walk(data)) {
            found = all.filter(which::is).sorted(Comparator.reverseOrder()).toList();
        }
        assertThat(found).isNotEmpty();
        for (Path path : found) {
            Files.delete(path);
        }
    }

    private long free() throws IOException {
        FileStore store = Files.getFileStore(mount.folder());
        return store.getUsableSpace();
    }

    private MusterCommand.Result succeeds(String... args) throws Exception {
        MusterCommand.Result result = muster.run(args);
        assertThat(result.exit())
                .as("%s: %s", String.join(" ", args), result.errors())
                .isZero();
        return result;
    }

    /** Not even the reserve exists: reading needs no disk space at all. */
    @Test
    void everyReadWorksWithoutAFreeBlock() throws Exception {
        deletePages();
        deleteReserve();
        ballast.fill();
        assertThat(free()).isZero();
        assertThat(succeeds("topic", "list").text()).contains("orders");
        assertThat(succeeds("topic", "describe", "orders", "-o", "json").text())
                .contains("\"disk\":{\"state\":\"FULL\"", "\"records\":" + RECORDS);
        assertThat(succeeds("topic", "describe", "orders").text()).containsPattern("disk +FULL, 0 B free");
        assertThat(succeeds("consume", "orders", "--exit").out()).hasSize(RECORDS);
        assertThat(succeeds("group", "list").text()).contains("readers");
        assertThat(succeeds("group", "describe", "readers").text()).contains(Integer.toString(RECORDS - 10));
        assertThat(succeeds("group", "lag", "readers").text()).contains(Integer.toString(RECORDS - 10));
        try (MusterCommand.Running server = muster.start("serve", "--listen", "localhost:0")) {
            server.out().await(line -> line.startsWith("ready"));
            assertThat(server.terminate().exit()).isIn(0, 143);
        }
        assertThat(refusal().errors()).contains("no room for more records", "muster.disk.min.free");
    }

    /** The command's error for a record without disk space. */
    private MusterCommand.Result refusal() throws Exception {
        for (int tries = 1; ; tries++) {
            MusterCommand.Result refused = muster.runWithInput("more\n", "produce", "orders", "--timeout", "1s");
            assertThat(refused.exit()).isIn(1, 5);
            // On a machine that pauses, the timeout may expire before the disk was checked.
            if (refused.errors().contains("no room") || tries == 10) {
                return refused;
            }
        }
    }

    @Test
    void onAFullDiskGroupsCommitAndDeletionFreesRoom() throws Exception {
        deletePages();
        ballast.fill();
        assertThat(free()).isZero();
        assertThat(succeeds("consume", "orders", "-g", "readers", "--id", "B", "-n", "10")
                        .out())
                .first()
                .isEqualTo("10");
        assertThat(succeeds("group", "lag", "readers").text()).contains(Integer.toString(RECORDS - 20));
        ballast.fill();
        succeeds("topic", "trim", "orders", "-p", "0", "--before", Integer.toString(RECORDS));
        assertThat(free()).isPositive();
        ballast.fill();
        succeeds("topic", "delete", "orders", "--yes");
        assertThat(succeeds("topic", "list", "-o", "name").out()).doesNotContain("orders");
        ballast.remove();
        assertThat(muster.runWithInput("new\n", "produce", "orders").exit()).isZero();
        assertThat(succeeds("consume", "orders", "--exit").out()).containsExactly("new");
    }
}
