package dev.muster.cli.group;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.Moments;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.Table;
import dev.muster.cli.text.Table.Column;
import dev.muster.cli.text.Table.Shown;
import dev.muster.core.MemberId;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.Generation;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster group timeline}. */
@Command(
        name = "timeline",
        description = {
            "Show the last generations of a group, oldest first, with their reasons and moves.",
            "Also the assignor's reason, the time without an owner, and expelled members that were alive."
        },
        footer = {
            "",
            "Examples:",
            "  muster group timeline billing --since -1h",
            "  muster group timeline billing -o jsonl"
        })
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class GroupTimeline implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "GROUP", description = "The group to show.")
    private String name;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Only events at or after this time (-1h, 2026-01-31).")
    private String since;

    GroupTimeline(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        var clock = root.session().clock();
        Instant from =
                RootCommand.argument("--since", since, text -> Moments.parse(text, clock.instant(), clock.getZone()));
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            Group group = GroupLookup.group(opened.groups(), name);
            List<Generation> generations = group.history().stream()
                    .filter(generation -> from == null || generation.at() >= from.toEpochMilli())
                    .toList();
            OutputFormat format = root.output();
            boolean story = format == OutputFormat.TABLE || format == OutputFormat.WIDE;
            root.session()
                    .print(
                            story
                                    ? story(group, generations)
                                            + dead(group, opened.groups().dead(name))
                                    : table(group, generations).render(format, false));
        }
        return ExitCode.DONE.code();
    }

    private String story(Group group, List<Generation> generations) {
        Names names = new Names(group.members().values());
        ZoneId zone = root.session().clock().getZone();
        StringBuilder story = new StringBuilder();
        for (Generation generation : generations) {
            String head = "generation " + generation.number() + "  " + Moments.show(generation.at(), zone) + "  "
                    + Names.printable(generation.cause());
            story.append(root.colorful() ? "\u001b[1m" + head + "\u001b[0m" : head)
                    .append('\n');
            story.append("  ").append(assignorsWords(generation)).append('\n');
            List<String> moves = Moves.lines(generation, names);
            moves.forEach(line -> story.append("  ").append(line).append('\n'));
            if (moves.isEmpty()) {
                story.append("  nothing moved\n");
            }
            group.falseAlarms()
                    .before(generation.number())
                    .forEach(alarm -> story.append("  false alarm: ")
                            .append(Alarms.text(alarm, zone))
                            .append('\n'));
        }
        return story.toString();
    }

    /** The last line, for dead members that are not recorded in the journal yet. */
    private static String dead(Group group, Set<String> dead) {
        if (dead.isEmpty()) {
            return "";
        }
        Names names = new Names(group.members().values());
        String who = dead.stream().map(id -> names.of(new MemberId(id))).collect(Collectors.joining(", "));
        boolean none = GroupPhase.of(group, dead) == GroupPhase.MEMBERS_DIED;
        return "since then  " + who + (dead.size() == 1 ? " died" : " have died")
                + (none ? " and no member is left; the next member that joins takes over\n" : "\n");
    }

    private static String assignorsWords(Generation generation) {
        String name = generation.assignor();
        String reason = Names.printable(generation.reason());
        // A group without members has no assignor.
        return name.equals("none") || reason.startsWith(name) ? reason : name + ": " + reason;
    }

    private static Table table(Group group, List<Generation> generations) {
        Table table = new Table(
                Column.of("GENERATION", "generation"),
                Column.of("AT", "at"),
                Column.of("CAUSE", "cause"),
                Column.of("ASSIGNOR", "assignor"),
                Column.of("REASON", "reason"),
                Column.of("UNOWNED", "unownedMsMax"),
                Column.of("MOVES", "moves"),
                Column.of("FALSE-ALARMS", "falseAlarms"));
        for (Generation generation : generations) {
            OptionalLong longest = generation.moves().values().stream()
                    .map(Moves::unownedMs)
                    .filter(OptionalLong::isPresent)
                    .mapToLong(OptionalLong::getAsLong)
                    .max();
            table.row(
                    generation.number(),
                    generation.at(),
                    generation.cause(),
                    generation.assignor(),
                    generation.reason(),
                    GroupTables.number(longest),
                    new Shown(Moves.objects(generation), ""),
                    new Shown(Alarms.objects(group.falseAlarms().before(generation.number())), ""));
        }
        return table;
    }
}
