package dev.muster.cli.group;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.Table;
import dev.muster.cli.text.Table.Column;
import dev.muster.cli.text.Table.Shown;
import dev.muster.core.Counts;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.json.Json;
import dev.muster.embedded.Muster;
import dev.muster.embedded.admin.PartitionInfo;
import dev.muster.embedded.internal.GroupInspection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster group reset}. Shows its plan, and performs it only with {@code --execute}. */
@Command(
        name = "reset",
        description = {
            "Set the offsets of a group. Shows the plan and changes nothing, unless --execute is given.",
            "Refused while members of the group read these topics, unless --live is given: then they release",
            "these partitions, get them again, and start at the new offsets. No other partition moves."
        },
        footer = {
            "",
            "Examples:",
            "  muster group reset billing --to-earliest",
            "  muster group reset billing --topic orders:0,2 --shift-by -100 --execute",
            "  muster group reset billing --to-time -2h --execute",
            "  muster group reset billing --to-earliest --live --because 'wrong prices' --execute"
        })
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class GroupReset implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "GROUP", description = "The group.")
    private String name;

    @Option(
            names = {"-t", "--topic"},
            paramLabel = "T[:P,P]",
            description =
                    "Only these partitions; may be repeated (default: all that the group reads or has offsets of).")
    private List<String> chosen = List.of();

    @Mixin
    private final ResetTarget target = new ResetTarget();

    @Option(names = "--execute", description = "Perform the reset.")
    private boolean execute;

    @Option(names = "--live", description = "Also while members read: they start there, in a new generation.")
    private boolean live;

    @Option(
            names = "--because",
            paramLabel = "WHY",
            description = "With --live: the reason, shown by explain and timeline.")
    private String because;

    GroupReset(RootCommand root) {
        this.root = root;
    }

    /**
     * The change of one partition.
     *
     * @param next the new offset; empty to forget it
     */
    private record Step(PartitionInfo info, OptionalLong committed, OptionalLong next) {}

    @Override
    public Integer call() {
        target.validate(root.session().clock());
        if (live && target.isForget()) {
            throw CommandException.usage(
                    "--forget does not go with --live: members continue at an offset", "--to-earliest or --to-latest");
        }
        if (because != null && !live) {
            throw CommandException.usage("--because goes with --live", "--live --because " + because);
        }
        List<TopicPartitions> parsed = chosen.stream()
                .map(text -> RootCommand.argument("--topic", text, TopicPartitions::parse))
                .toList();
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            Muster muster = opened.muster();
            Group group = GroupLookup.group(opened.groups(), name);
            SortedMap<TopicPartition, Step> plan = plan(muster, group, parsed);
            if (plan.isEmpty()) {
                throw new CommandException(
                        ExitCode.NOT_FOUND,
                        "group \"" + name + "\" reads nothing and has no offsets",
                        "name topics with --topic");
            }
            if (execute) {
                execute(opened.groups(), plan);
            }
            print(plan);
            root.note(outcome(group, plan));
        }
        return ExitCode.DONE.code();
    }

    private SortedMap<TopicPartition, Step> plan(Muster muster, Group group, List<TopicPartitions> parsed) {
        SortedMap<TopicPartition, Step> plan = new TreeMap<>();
        for (TopicPartition partition : partitions(muster, group, parsed)) {
            PartitionInfo info = muster.topics().partition(partition.topic().value(), partition.partition());
            var commit = group.offsets().get(partition);
            OptionalLong committed = commit == null
                    ? OptionalLong.empty()
                    : OptionalLong.of(commit.offset().offset());
            if (!target.isForget()) {
                long next = target.in(
                        partition,
                        info,
                        committed,
                        muster.topics(),
                        root.session().clock());
                plan.put(partition, new Step(info, committed, OptionalLong.of(next)));
            } else if (committed.isPresent()) {
                plan.put(partition, new Step(info, committed, OptionalLong.empty()));
            }
        }
        return plan;
    }

    private static Set<TopicPartition> partitions(Muster muster, Group group, List<TopicPartitions> parsed) {
        Set<TopicPartition> partitions = new TreeSet<>();
        for (TopicPartitions some : parsed) {
            addAll(
                    partitions,
                    some.topic(),
                    muster.topics().describe(some.topic().value()).partitions(),
                    some);
        }
        if (parsed.isEmpty()) {
            Set<TopicName> topics = new TreeSet<>(group.topics().keySet());
            group.offsets().keySet().forEach(partition -> topics.add(partition.topic()));
            for (TopicName topic : topics) {
                muster.topics()
                        .find(topic.value())
                        .ifPresent(known ->
                                addAll(partitions, topic, known.partitions(), new TopicPartitions(topic, Set.of())));
            }
        }
        return partitions;
    }

    private static void addAll(Set<TopicPartition> partitions, TopicName topic, int count, TopicPartitions some) {
        if (some.numbers().isEmpty()) {
            for (int i = 0; i < count; i++) {
                partitions.add(new TopicPartition(topic, i));
            }
        }
        // A missing partition is reported when its log is asked for.
        some.numbers().forEach(number -> partitions.add(new TopicPartition(topic, number)));
    }

    private void execute(GroupInspection groups, SortedMap<TopicPartition, Step> plan) {
        if (target.isForget()) {
            groups.forget(name, plan.keySet());
            return;
        }
        SortedMap<TopicPartition, Long> offsets = new TreeMap<>();
        plan.forEach((partition, step) -> offsets.put(partition, step.next().getAsLong()));
        if (live) {
            groups.resetLive(name, offsets, Names.user().because(because == null ? "" : because));
        } else {
            groups.reset(name, offsets);
        }
    }

    private void print(SortedMap<TopicPartition, Step> plan) {
        Table table = table(plan);
        if (root.output() == OutputFormat.JSON) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("group", name);
            object.put("executed", execute);
            object.put("live", live);
            object.put("partitions", table.objects());
            root.session().print(Json.write(object) + "\n");
        } else {
            root.session().print(table.render(root.output(), root.colorful()));
        }
    }

    private Table table(SortedMap<TopicPartition, Step> plan) {
        Table table = new Table(
                Column.of("GROUP", "group"),
                Column.of("TOPIC", "topic"),
                Column.of("PARTITION", "partition"),
                Column.of("NEW-OFFSET", "newOffset"),
                Column.of("CURRENT-OFFSET", "committedOffset"),
                Column.of("LOG-END-OFFSET", "endOffset"),
                Column.of("NEW-LAG", "newLag"));
        plan.forEach((partition, step) -> table.row(
                name,
                partition.topic().value(),
                partition.partition(),
                GroupTables.number(step.next()),
                GroupTables.number(step.committed()),
                step.info().endOffset(),
                step.next().isEmpty()
                        ? Shown.NONE
                        : GroupTables.number(OptionalLong.of(
                                step.info().endOffset() - step.next().getAsLong()))));
        return table;
    }

    private String outcome(Group group, SortedMap<TopicPartition, Step> plan) {
        String offsets = Counts.of(plan.size(), "offset");
        if (execute) {
            return offsets + " of group " + name + (target.isForget() ? " forgotten" : " set")
                    + (live && !group.members().isEmpty() ? "; their owners start there" : "");
        }
        int members = live ? 0 : group.members().size();
        return "nothing was changed: --execute does it"
                + (members == 0
                        ? ""
                        : ", once the group's " + (members == 1 ? "member is" : members + " members are")
                                + " stopped; --live does it while they run");
    }
}
