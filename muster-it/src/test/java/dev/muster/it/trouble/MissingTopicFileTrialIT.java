package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.trouble.MusterCommand.Result;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a topic are missing for a moment, as in a restore, and no record or commit is lost. */
class MissingTopicFileTrialIT {
    @TempDir
    Path directory;

    @TempDir
    Path aside;

    private MusterCommand muster;

    private Result run(String... args) throws IOException, InterruptedException {
        Result result = muster.run(args);
        assertThat(result.exit())
                .as("%s: %s", String.join(" ", args), result.errors())
                .isZero();
        return result;
    }

    private void topicWithACommittedGroup() throws IOException, InterruptedException {
        muster = MusterCommand.on(directory.resolve("data"));
        run("topic", "create", "orders", "--partitions", "1");
        assertThat(muster.runWithInput("one\ntwo\n", "produce", "orders").exit())
                .isZero();
        assertThat(run("consume", "orders", "-g", "billing", "--exit").out()).containsExactly("one", "two");
    }

    @Test
    void aGroupContinuesAtItsCommitsWhileTopicJsonIsMissing() throws Exception {
        topicWithACommittedGroup();
        Path name = directory.resolve("data/topics/orders");
        Files.move(name, aside.resolve("orders"));
        Result check = muster.run("check");
        assertThat(check.exit()).isEqualTo(1);
        assertThat(check.text()).contains("topic.json is missing", "restore it from");
        // A command with write access restores the file.
        assertThat(run("topic", "list").text()).contains("orders");
        assertThat(name.resolve("topic.json")).hasSameTextualContentAs(aside.resolve("orders/topic.json"));
        assertThat(muster.runWithInput("three\n", "produce", "orders").exit()).isZero();
        assertThat(run("consume", "orders", "-g", "billing", "--exit").out()).containsExactly("three");
        assertThat(run("check").out()).isEmpty();
    }

    @Test
    void aGroupKeepsItsCommitsWhileAllFilesOfTheTopicAreMissing() throws Exception {
        topicWithACommittedGroup();
        Path data = directory.resolve("data");
        Files.move(data.resolve("topics/orders"), aside.resolve("orders"));
        Path logs = only(data.resolve("logs"));
        Files.move(logs, aside.resolve("logs"));
        try (MusterCommand.Running member = muster.start("consume", "-g", "billing", "--pattern", "ord.*")) {
            run("topic", "create", "others");
            assertThat(run("group", "describe", "billing").text()).contains("billing");
            Files.move(aside.resolve("logs"), logs);
            try {
                Files.move(aside.resolve("orders"), data.resolve("topics/orders"));
            } catch (FileSystemException e) {
                // The file exists, or the folder is not empty: the member restored it from the copy.
                System.out.println(e.getMessage() + " is there again");
            }
            assertThat(muster.runWithInput("three\n", "produce", "orders").exit())
                    .isZero();
            assertThat(member.out().await(line -> true)).isEqualTo("three");
        }
    }

    private static Path only(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findFirst().orElseThrow();
        }
    }
}
