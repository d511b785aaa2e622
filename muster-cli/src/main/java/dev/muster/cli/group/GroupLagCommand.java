package dev.muster.cli.group;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.LiveText;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.DurationParser;
import dev.muster.cli.text.Moments;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.Spans;
import dev.muster.cli.text.Table;
import dev.muster.cli.text.Table.Column;
import dev.muster.cli.text.Table.Shown;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.json.Json;
import dev.muster.embedded.admin.Groups.Lag;
import dev.muster.embedded.internal.GroupInspection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster group lag}. */
@Command(
        name = "lag",
        description = "Show how far a group is behind, in records and in time.",
        footer = {"", "Examples:", "  muster group lag billing", "  muster group lag billing --watch"})
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class GroupLagCommand implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "GROUP", description = "The group to show.")
    private String name;

    @Option(
            names = {"-w", "--watch"},
            description = "Show it again and again until interrupted.")
    private boolean watch;

    @Option(names = "--every", paramLabel = "TIME", description = "With --watch: how often (default: 1s).")
    private String every = "1s";

    GroupLagCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        Duration pause = RootCommand.argument("--every", every, DurationParser::parse);
        if (!pause.isPositive()) {
            throw CommandException.usage("--every must be more than 0", "--every 2s");
        }
        if (watch && (root.output() == OutputFormat.CSV || root.output() == OutputFormat.NAME)) {
            throw CommandException.usage("group lag --watch has no output format " + root.output(), "use -o jsonl");
        }
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            GroupInspection groups = opened.groups();
            if (watch) {
                return follow(groups, pause);
            }
            Group group = GroupLookup.group(groups, name);
            List<Lag> lags = groups.lag(name);
            print(group, groups.dead(name), lags);
        }
        return ExitCode.DONE.code();
    }

    private void print(Group group, Set<String> dead, List<Lag> lags) {
        OutputFormat format = root.output();
        Table table = table(group, dead, lags);
        switch (format) {
            case JSON -> root.session().print(Json.write(object(table, lags)) + "\n");
            case TABLE, WIDE -> {
                root.session().print(table.render(format, root.colorful()));
                root.note(LagTotal.of(lags).text());
                CommitsAhead.in(lags).forEach(root::note);
            }
            default -> root.session().print(table.render(format, root.colorful()));
        }
    }

    private int follow(GroupInspection groups, Duration pause) {
        LiveText live = new LiveText(root.session());
        Duration timeout = root.timeout();
        long startNanos = System.nanoTime();
        while (true) {
            Group group = GroupLookup.group(groups, name);
            live.show(frame(group, groups.dead(name), groups.lag(name), live.inPlace()));
            long leftNanos = timeout == null
                    ? pause.toNanos()
                    : Math.min(pause.toNanos(), timeout.toNanos() - (System.nanoTime() - startNanos));
            if (leftNanos <= 0) {
                return ExitCode.TIMED_OUT.code();
            }
            if (root.session().stop().await(leftNanos)) {
                return ExitCode.INTERRUPTED.code();
            }
        }
    }

    /** The whole table on a terminal; otherwise one line. */
    private String frame(Group group, Set<String> dead, List<Lag> lags, boolean inPlace) {
        Table table = table(group, dead, lags);
        if (root.outputGiven() && root.output().isJson()) {
            return Json.write(object(table, lags)) + "\n";
        }
        String now = Moments.showTime(
                root.session().clock().millis(), root.session().clock().getZone());
        String line = now + "  " + name + "  " + GroupPhase.of(group, dead) + "  "
                + LagTotal.of(lags).text() + "\n";
        return inPlace ? line + table.render(root.output(), root.colorful()) : line;
    }

    private Map<String, Object> object(Table table, List<Lag> lags) {
        LagTotal total = LagTotal.of(lags);
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("group", name);
        object.put("at", root.session().clock().millis());
        object.put("lag", total.shownRecords().value());
        object.put("behindMs", total.shownBehind().value());
        object.put("aheadCount", lags.stream().mapToLong(CommitsAhead::records).sum());
        object.put("withoutCommitCount", total.unknown());
        object.put("partitions", table.objects());
        return object;
    }

    private Table table(Group group, Set<String> dead, List<Lag> lags) {
        Names names = new Names(group.members().values());
        Table table = new Table(
                Column.of("TOPIC", "topic"),
                Column.of("PARTITION", "partition"),
                Column.of("CURRENT-OFFSET", "committedOffset"),
                Column.of("LOG-END-OFFSET", "endOffset"),
                Column.of("LAG", "lag"),
                Column.of("BEHIND", "behindMs"),
                Column.of("OWNER", "owner"));
        for (Lag lag : lags) {
            Optional<Ownership> owner = Optional.ofNullable(group.owners().get(lag.partition()));
            table.row(
                    lag.partition().topic().value(),
                    lag.partition().partition(),
                    GroupTables.number(lag.committed()),
                    lag.end(),
                    GroupTables.number(lag.lag()),
                    lag.behind()
                            .map(span -> new Shown(span.toMillis(), Spans.show(span)))
                            .orElse(Shown.NONE),
                    owner.map(known -> owner(
                                    names.of(known.member()),
                                    dead.contains(known.member().value())))
                            .orElse(Shown.NONE));
        }
        return table;
    }

    private static Shown owner(String name, boolean dead) {
        return new Shown(name, name + (dead ? " (dead)" : ""));
    }
}
