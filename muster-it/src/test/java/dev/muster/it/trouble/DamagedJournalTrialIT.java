package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.trouble.MusterCommand.Result;
import dev.muster.it.trouble.MusterCommand.Running;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One flipped byte in a group's journal, found by the user's commands. */
class DamagedJournalTrialIT {
    private static final int FAILED = 1;

    @TempDir
    Path root;

    private MusterCommand muster;

    @BeforeEach
    void makeATopic() throws Exception {
        muster = MusterCommand.on(root.resolve("data"));
        succeed("", "topic", "create", "orders", "--partitions", "1");
        succeed("one\ntwo\nthree\n", "produce", "orders");
    }

    private Result succeed(String input, String... args) throws Exception {
        Result result = muster.runWithInput(input, args);
        assertThat(result.exit())
                .as(String.join(" ", args) + ": " + result.errors())
                .isZero();
        return result;
    }

    private void flip(String group) throws IOException {
        Path folder = root.resolve("data/consumer-groups").resolve(group);
        try (Stream<Path> files = Files.walk(folder)) {
            Path segment = files.filter(file -> file.toString().endsWith(".log"))
                    .max(Path::compareTo)
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(segment);
            int at = new String(bytes, StandardCharsets.ISO_8859_1).lastIndexOf("committed");
            assertThat(at).isPositive();
            // Only this byte is written: a member may append meanwhile.
            try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[] {(byte) (bytes[at] ^ 1)}), at);
            }
        }
    }

    @Test
    void aDamagedGroupIsRepairedAndContinuesAtItsCommit() throws Exception {
        assertThat(succeed("", "consume", "orders", "-g", "billing", "--exit").out())
                .hasSize(3);
        flip("billing");

        Result list = succeed("", "group", "list");
        assertThat(list.text()).containsPattern("billing +Damaged");
        Result described = muster.run("group", "describe", "billing");
        assertThat(described.exit()).isEqualTo(FAILED);
        assertThat(described.errors()).contains(".log at byte ", "version ", "muster group repair billing");

        Result preview = succeed("", "group", "repair", "billing");
        assertThat(preview.text()).containsPattern("orders +0 +0 +3 +view file, version \\d+ +0");
        assertThat(preview.errors()).contains("nothing was changed");
        succeed("", "group", "repair", "billing", "--execute");
        succeed("four\n", "produce", "orders");
        assertThat(succeed("", "consume", "orders", "-g", "billing", "--exit").text())
                .contains("four")
                .doesNotContain("three");
        assertThat(muster.run("check").exit()).isZero();
    }

    @Test
    void aGroupWithoutItsJournalFileIsRepairedAndPassesTheCheck() throws Exception {
        succeed("", "consume", "orders", "-g", "billing", "--exit");
        try (Stream<Path> files = Files.walk(root.resolve("data/consumer-groups/billing"))) {
            Files.delete(files.filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow());
        }
        succeed("", "group", "repair", "billing", "--execute");
        succeed("four\n", "produce", "orders");
        assertThat(succeed("", "consume", "orders", "-g", "billing", "--exit").out())
                .containsExactly("four");
        Result check = muster.run("check");
        assertThat(check.exit()).as(check.text()).isZero();
    }

    @Test
    void aDamagedGroupIsDeleted() throws Exception {
        succeed("", "consume", "orders", "-g", "billing", "--exit");
        flip("billing");
        succeed("", "group", "delete", "billing", "--yes");
        assertThat(succeed("", "group", "list", "-o", "name").out()).isEmpty();
    }

    @Test
    void aLiveMemberHealsTheJournalThatACommandFindsDamaged() throws Exception {
        try (Running member = muster.start("consume", "orders", "-g", "billing")) {
            member.out().await(line -> line.contains("three"));
            awaitCommit();
            flip("billing");
            // A command waits for two seconds. It is repeated if the machine paused for longer.
            Result described = muster.run("group", "describe", "billing");
            for (long end = System.nanoTime() + 60_000_000_000L; described.exit() != 0 && System.nanoTime() < end; ) {
                described = muster.run("group", "describe", "billing");
            }
            assertThat(described.exit()).as(described.errors()).isZero();
            assertThat(described.text()).containsPattern("orders +0 +3 +3 +0");
            assertThat(member.isAlive()).isTrue();
        }
    }

    private void awaitCommit() throws Exception {
        Path view = root.resolve("data/consumer-groups/billing/offsets/orders/partition-0.offset");
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (!Files.exists(view) || !Files.readString(view).contains("\"offset\":3")) {
            assertThat(System.nanoTime()).as("time to wait for the commit").isLessThan(deadline);
            LockSupport.parkNanos(10_000_000);
        }
    }
}
