package dev.muster.cli.group;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.OutputFormat;
import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.explain.Explanation;
import dev.muster.core.json.Json;
import dev.muster.embedded.internal.GroupInspection;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster group explain}. */
@Command(
        name = "explain",
        description = "Explain in plain words why a partition has its owner.",
        footer = {"", "Example:", "  muster group explain billing orders:3"})
@Formats({OutputFormat.TABLE, OutputFormat.JSON, OutputFormat.JSONL})
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
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            GroupInspection groups = opened.groups();
            Group group = GroupLookup.group(groups, name);
            GroupLookup.checkPartition(opened.muster().topics(), asked);
            List<String> lines = Explanation.of(group, asked, dead(groups)).lines();
            root.session().print(root.output().isJson() ? Json.write(object(asked, lines)) + "\n" : text(lines));
        }
        return ExitCode.DONE.code();
    }

    private SortedMap<MemberId, Optional<Instant>> dead(GroupInspection groups) {
        SortedMap<MemberId, Optional<Instant>> dead = new TreeMap<>();
        groups.dead(name).forEach(member -> dead.put(new MemberId(member), groups.lastSign(name, member)));
        return dead;
    }

    private Map<String, Object> object(TopicPartition asked, List<String> lines) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("group", name);
        object.put("topic", asked.topic().value());
        object.put("partition", asked.partition());
        object.put("lines", lines);
        return object;
    }

    private static String text(List<String> lines) {
        return lines.stream().map(line -> Names.printable(line) + "\n").collect(Collectors.joining());
    }
}
