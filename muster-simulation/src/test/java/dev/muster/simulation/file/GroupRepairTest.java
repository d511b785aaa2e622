package dev.muster.simulation.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.repair.RepairPlan;
import dev.muster.core.group.repair.RepairPlan.Source;
import dev.muster.disk.local.NativeDisk;
import dev.muster.engine.group.member.GroupMember;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.store.file.FileStore;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.testkit.ExpectedTrouble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rebuilds a damaged group that no live process knows. Its journal commits, in this order: partition 0 at 5, partition
 * 1 at 7, partition 0 at 9; its views have 9 and 7. The directory has another group too.
 */
@ExtendWith(ExpectedTrouble.class)
class GroupRepairTest {
    private static final GroupName OTHERS = new GroupName("others");
    private static final int PARTITIONS = 2;
    private static final int HEADER = 61;

    @TempDir
    Path root;

    private Path directory;

    @BeforeEach
    void writeAGroup() {
        directory = root.resolve("data");
        try (GroupProcess process = process()) {
            process.createTopic(PARTITIONS);
            GroupMember member = process.join(PARTITIONS);
            GroupProcess.commit(member, 0, 5);
            GroupProcess.commit(member, 1, 7);
            GroupProcess.commit(member, 0, 9);
            GroupProcess.await(() -> view(0).contains("\"offset\":9") && view(1).contains("\"offset\":7"));
            process.service().open(OTHERS).propose(new Command.Expect(Optional.empty()));
        }
    }

    private String view(int partition) {
        try {
            return Files.readString(views().resolve("partition-" + partition + ".offset"));
        } catch (IOException e) {
            // The file is not written yet.
            return e.toString();
        }
    }

    private Path group() {
        return directory.resolve("consumer-groups/workers");
    }

    private Path views() {
        return group().resolve("offsets/orders");
    }

    private GroupProcess process() {
        return GroupProcess.impatient(Stores.open(directory));
    }

    /** A process after a reboot. */
    private GroupProcess process(UUID boot) {
        return GroupProcess.impatient(FileStore.open(
                directory, Stores.options(NativeDisk.orFallback(), boot).withAllowAnyFileSystem(true)));
    }

    private Path segment() {
        try (Stream<Path> files = Files.walk(group())) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .max(Path::compareTo)
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The place of the batch that holds the last line with this text. */
    private int batchOf(String text) throws IOException {
        String content = Files.readString(segment(), StandardCharsets.ISO_8859_1);
        int line = content.lastIndexOf("{\"v\":1", content.lastIndexOf(text));
        // The batch's header, and up to two bytes each for attributes and lengths of the record.
        int at = line - HEADER;
        while (!(content.charAt(at + 16) == 2 && content.startsWith("\0\0\0\0\0\0\0", at))) {
            at--;
        }
        return at;
    }

    private void flip(int at) throws IOException {
        byte[] bytes = Files.readAllBytes(segment());
        bytes[at] ^= 1;
        Files.write(segment(), bytes);
    }

    private void deleteViews() throws IOException {
        Files.delete(views().resolve("partition-0.offset"));
        Files.delete(views().resolve("partition-1.offset"));
    }

    private static RepairPlan.Step step(RepairPlan plan, int partition) {
        return plan.partitions().stream()
                .filter(step -> step.partition().partition() == partition)
                .findFirst()
                .orElseThrow();
    }

    private static long committed(GroupProcess process, int partition) {
        Group group = process.service().look(GroupProcess.GROUP).orElseThrow().group();
        return group.offsets().get(GroupProcess.partition(partition)).offset().offset();
    }

    private static void repair(GroupProcess process) {
        RepairPlan plan = process.service().planRepair(GroupProcess.GROUP).orElseThrow();
        assertThat(plan.needed()).isTrue();
        assertThat(process.service().repair(plan)).isTrue();
    }

    @Test
    void offsetsAreRestoredFromLaterCommitsAndViews() throws IOException {
        flip(batchOf("\"1\":7") + HEADER + 40);
        try (GroupProcess process = process()) {
            RepairPlan plan = process.service().planRepair(GroupProcess.GROUP).orElseThrow();
            assertThat(plan.lost()).isEqualTo(1);
            assertThat(plan.members()).isEqualTo(1);
            assertThat(step(plan, 0).before().orElseThrow().offset()).isEqualTo(5);
            assertThat(step(plan, 0).after().orElseThrow().offset()).isEqualTo(9);
            assertThat(step(plan, 0).source()).isEqualTo(Source.BEHIND);
            assertThat(step(plan, 0).again()).isZero();
            assertThat(step(plan, 1).before()).isEmpty();
            assertThat(step(plan, 1).after().orElseThrow().offset()).isEqualTo(7);
            assertThat(step(plan, 1).source()).isEqualTo(Source.VIEW);
            assertThatExceptionOfType(DamagedGroupException.class)
                    .as("a plan changes nothing")
                    .isThrownBy(() -> process.service().look(GroupProcess.GROUP));
            assertThat(process.service().repair(plan)).isTrue();
        }
        try (GroupProcess process = process()) {
            VersionedGroup seen = process.service().look(GroupProcess.GROUP).orElseThrow();
            assertThat(committed(process, 0)).isEqualTo(9);
            assertThat(committed(process, 1)).isEqualTo(7);
            assertThat(seen.group().members()).isEmpty();
            assertThat(seen.group().generation()).isGreaterThan(1);
            GroupProcess.commit(process.join(PARTITIONS), 1, 8);
            assertThat(process.service()
                            .planRepair(GroupProcess.GROUP)
                            .orElseThrow()
                            .needed())
                    .isFalse();
        }
        assertThat(Stores.damage(directory)).as("damage after the repair").isEmpty();
    }

    @Test
    void withoutViewsThePlanNamesPossibleRedeliveries() throws IOException {
        deleteViews();
        flip(batchOf("\"1\":7") + HEADER + 40);
        try (GroupProcess process = process()) {
            RepairPlan plan = process.service().planRepair(GroupProcess.GROUP).orElseThrow();
            assertThat(step(plan, 1).after()).isEmpty();
            assertThat(step(plan, 1).source()).isEqualTo(Source.NONE);
            assertThat(step(plan, 1).again()).isEqualTo(GroupProcess.RECORDS);
            assertThat(step(plan, 0).again()).isZero();
        }
    }

    /** The second line of the view has a version. */
    @Test
    void generationOfTheViewFileIsNotUsedAgain() throws IOException {
        flip(batchOf("\"1\":7") + HEADER + 40);
        Files.writeString(group().resolve("generation.txt"), "4711\nversion 3\n");
        try (GroupProcess process = process()) {
            RepairPlan plan = process.service().planRepair(GroupProcess.GROUP).orElseThrow();
            assertThat(plan.rebuilt().generation()).isGreaterThan(4711);
        }
    }

    @Test
    void aViewBeyondTheEndOfTheLogIsNotUsed() throws IOException {
        flip(batchOf("\"1\":7") + HEADER + 40);
        Path view = views().resolve("partition-1.offset");
        Files.writeString(view, Files.readString(view).replace("\"offset\":7", "\"offset\":11"));
        try (GroupProcess process = process()) {
            RepairPlan plan = process.service().planRepair(GroupProcess.GROUP).orElseThrow();
            assertThat(step(plan, 1).after()).isEmpty();
        }
    }

    /** Flips bytes in every field of a batch's header, and at the beginning, the middle and the end of its line. */
    @Test
    void aFlippedByteAnywhereInALineIsRepairedOrChangesNothing() throws IOException {
        int batch = batchOf("\"1\":7");
        byte[] content = Files.readAllBytes(segment());
        int size = 12 + ByteBuffer.wrap(content).getInt(batch + 8);
        for (int i = 0; i < size; i = i < HEADER + 8 ? i + 1 : i + 29) {
            directory = root.resolve("copy-" + i);
            copy(root.resolve("data"), directory);
            byte[] damaged = content.clone();
            damaged[batch + i] ^= 0x10;
            Files.write(segment(), damaged);
            UUID boot = new UUID(9, i);
            try (GroupProcess process = process(boot)) {
                assertThat(process.service().list()).containsExactly(OTHERS, GroupProcess.GROUP);
                assertThat(process.service().look(OTHERS)).isPresent();
                RepairPlan plan =
                        process.service().planRepair(GroupProcess.GROUP).orElseThrow();
                if (plan.needed()) {
                    assertThat(process.service().repair(plan)).isTrue();
                }
            }
            try (GroupProcess process = process(boot)) {
                assertThat(List.of(committed(process, 0), committed(process, 1)))
                        .as("offsets after a flip in byte " + i)
                        .containsExactly(9L, 7L);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    @Test
    void anEmptiedJournalIsRebuiltFromTheViews() throws IOException {
        Files.write(segment(), new byte[0]);
        try (GroupProcess process = process()) {
            assertThatExceptionOfType(DamagedGroupException.class)
                    .isThrownBy(() -> process.service().look(GroupProcess.GROUP));
            repair(process);
        }
        try (GroupProcess process = process()) {
            assertThat(committed(process, 0)).isEqualTo(9);
            assertThat(committed(process, 1)).isEqualTo(7);
            process.join(PARTITIONS);
        }
    }

    @Test
    void aTruncatedJournalIsRebuiltFromItsLinesAndTheViews() throws IOException {
        byte[] bytes = Files.readAllBytes(segment());
        Files.write(segment(), Arrays.copyOf(bytes, batchOf("\"1\":7") + 30));
        try (GroupProcess process = process()) {
            repair(process);
        }
        try (GroupProcess process = process()) {
            assertThat(committed(process, 0)).isEqualTo(9);
            assertThat(committed(process, 1)).isEqualTo(7);
        }
    }

    @Test
    void aMissingGroupFileIsReportedAndRewritten() throws IOException {
        Files.delete(group().resolve("group.json"));
        aBrokenGroupFileIsRepaired("missing");
    }

    @Test
    void aDamagedGroupFileIsReportedAndRewritten() throws IOException {
        Files.writeString(group().resolve("group.json"), "{\"format\":1}");
        aBrokenGroupFileIsRepaired("cannot be understood");
    }

    private void aBrokenGroupFileIsRepaired(String problem) {
        try (GroupProcess process = process()) {
            assertThat(process.service().list()).containsExactly(OTHERS, GroupProcess.GROUP);
            assertThatExceptionOfType(DamagedGroupException.class)
                    .isThrownBy(() -> process.service().open(GroupProcess.GROUP))
                    .withMessageContaining("group.json")
                    .withMessageContaining(problem);
            RepairPlan plan = process.service().planRepair(GroupProcess.GROUP).orElseThrow();
            assertThat(plan.file().orElseThrow()).contains(problem);
            assertThat(group().resolve("group.json"))
                    .satisfies(file -> assertThat(Files.exists(file)).isEqualTo(!problem.equals("missing")));
            assertThat(process.service().repair(plan)).isTrue();
        }
        try (GroupProcess process = process()) {
            assertThat(committed(process, 0)).isEqualTo(9);
            assertThat(process.service()
                            .look(GroupProcess.GROUP)
                            .orElseThrow()
                            .group()
                            .members())
                    .as("the journal is whole")
                    .hasSize(1);
        }
    }

    @Test
    void aDamagedGroupCanBeDeletedAndRecreated() throws IOException {
        flip(batchOf("\"1\":7") + HEADER + 40);
        Files.delete(group().resolve("group.json"));
        try (GroupProcess process = process();
                GroupProcess beside = process()) {
            process.service().remove(GroupProcess.GROUP);
            assertThat(beside.service().list()).containsExactly(OTHERS);
            assertThat(beside.service().look(GroupProcess.GROUP)).isEmpty();
            GroupProcess.commit(beside.join(PARTITIONS), 0, 1);
        }
    }

    @Test
    void aLivingWritersJournalIsHealedInsteadOfRepaired() throws IOException {
        try (GroupProcess writer = process()) {
            assertThat(writer.service().open(GroupProcess.GROUP).propose(new Command.Expect(Optional.empty())))
                    .isInstanceOf(Reply.Done.class);
            // The member need not own partitions: the closed store of the earlier member counts as alive for some
            // seconds.
            writer.join(0);
            flip(batchOf("\"1\":7") + HEADER + 40);
            try (GroupProcess process = process()) {
                RepairPlan plan =
                        process.service().planRepair(GroupProcess.GROUP).orElseThrow();
                if (plan.needed()) {
                    // Closed stores of this JVM count as alive for some seconds.
                    assertThat(plan.writers()).isNotEmpty();
                }
                GroupProcess.await(() -> isHealed(process));
                assertThat(committed(process, 1)).isEqualTo(7);
            }
        }
    }

    private static boolean isHealed(GroupProcess process) {
        return !process.service().planRepair(GroupProcess.GROUP).orElseThrow().needed();
    }

    @Test
    void aGroupWithAnEmptyJournalFolderIsListed() throws IOException {
        Files.createDirectories(directory.resolve("consumer-groups/empty%20one/journal-" + UUID.randomUUID()));
        try (GroupProcess process = process()) {
            assertThat(process.service().list()).contains(new GroupName("empty one"), OTHERS, GroupProcess.GROUP);
        }
    }
}
