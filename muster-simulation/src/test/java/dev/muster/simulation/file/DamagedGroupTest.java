package dev.muster.simulation.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.core.group.Group;
import dev.muster.engine.group.member.GroupMember;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.testkit.ExpectedTrouble;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage in the journal of a group: a process that knows the state heals it, all others report it once and change
 * nothing.
 */
@ExtendWith(ExpectedTrouble.class)
class DamagedGroupTest {
    private static final int PARTITIONS = 2;

    @TempDir
    Path directory;

    private GroupProcess process() {
        return new GroupProcess(Stores.open(directory));
    }

    private GroupProcess processWithTopic() {
        GroupProcess process = process();
        process.createTopic(PARTITIONS);
        return process;
    }

    private Path segment() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("consumer-groups"))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .max(Path::compareTo)
                    .orElseThrow();
        }
    }

    /** Flips one bit in the last line that contains this text. */
    private void flipIn(String text) throws IOException {
        Path file = segment();
        byte[] bytes = Files.readAllBytes(file);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).lastIndexOf(text);
        assertThat(at).as("place of " + text).isPositive();
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }

    private static long committed(Group group, int partition) {
        return group.offsets().get(GroupProcess.partition(partition)).offset().offset();
    }

    /** False if the machine paused for longer than a process waits for a healing one. */
    private static boolean isHealed(GroupProcess process) {
        try {
            return process.service().look(GroupProcess.GROUP).isPresent();
        } catch (DamagedGroupException e) {
            return false;
        }
    }

    @Test
    void aMemberHealsTheJournalThatANewMemberCannotRead() throws IOException {
        try (GroupProcess first = processWithTopic()) {
            GroupMember member = first.join(PARTITIONS);
            GroupProcess.commit(member, 0, 3);
            GroupProcess.commit(member, 1, 4);
            flipIn("committed");
            try (GroupProcess second = process()) {
                GroupProcess.await(() -> isHealed(second));
                VersionedGroup seen = second.service().look(GroupProcess.GROUP).orElseThrow();
                assertThat(committed(seen.group(), 0)).isEqualTo(3);
                assertThat(committed(seen.group(), 1)).isEqualTo(4);
            }
            try (GroupProcess third = process()) {
                assertThat(third.service()
                                .look(GroupProcess.GROUP)
                                .orElseThrow()
                                .group())
                        .isEqualTo(first.service()
                                .look(GroupProcess.GROUP)
                                .orElseThrow()
                                .group());
            }
        }
        assertThat(Stores.damage(directory)).as("damage after the healing").isEmpty();
    }

    @Test
    void withoutAHealingProcessTheErrorNamesFileAndRepair() throws IOException {
        try (GroupProcess first = processWithTopic()) {
            GroupProcess.commit(first.join(PARTITIONS), 0, 3);
        }
        long size = Files.size(segment());
        flipIn("committed");
        try (GroupProcess second = process()) {
            assertThatExceptionOfType(DamagedGroupException.class)
                    .isThrownBy(() -> second.service().look(GroupProcess.GROUP))
                    .satisfies(damage -> {
                        assertThat(damage.version()).isPositive();
                        assertThat(damage)
                                .hasMessageContaining(segment().getFileName().toString());
                        assertThat(damage.hint().orElseThrow()).contains("muster group repair workers");
                    });
            assertThatExceptionOfType(DamagedGroupException.class).isThrownBy(() -> second.join(PARTITIONS));
            assertThat(segment()).as("the journal of a state that is not known").hasSize(size);
        }
    }
}
