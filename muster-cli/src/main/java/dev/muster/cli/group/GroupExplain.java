package dev.muster.cli.group;

import dev.muster.cli.RootCommand;
import dev.muster.core.TopicPartition;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster group explain}. */
@Command(
        name = "explain",
        description = "Say in plain words why a partition is where it is.",
        footer = {"", "Example:", "  muster group explain billing orders:3"})
final class GroupExplain implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(index = "0", paramLabel = "GROUP", description = "The group.")
    private String name;

    @Parameters(index = "1", paramLabel = "TOPIC:P", description = "The partition.")
    private String partition;

    GroupExplain(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        TopicPartition asked = RootCommand.argument("TOPIC:P", partition, TopicPartitions::one);
        root.note(name + asked);
        return 0;
    }
}
