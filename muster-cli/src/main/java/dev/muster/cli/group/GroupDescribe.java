package dev.muster.cli.group;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.Moments;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.Spans;
import dev.muster.cli.text.Table;
import dev.muster.core.Counts;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.FalseAlarms;
import dev.muster.core.group.model.Generation;
import dev.muster.core.json.Json;
import dev.muster.embedded.admin.Groups.Lag;
import dev.muster.embedded.internal.GroupInspection;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster group describe}. */
@Command(
        name = "describe",
        description = "Show a group: its state, and for each partition offsets, lag and owner.",
        footer = {"", "Examples:", "  muster group describe billing", "  muster group describe billing -o json"})
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class GroupDescribe implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "GROUP", description = "The group to show.")
    private String name;

    GroupDescribe(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            GroupInspection groups = opened.groups();
            Group group = GroupLookup.group(groups, name);
            root.session().print(render(group, groups.dead(name), groups.lag(name)));
        }
        return ExitCode.DONE.code();
    }

    private String render(Group group, Set<String> dead, List<Lag> lags) {
        OutputFormat format = root.output();
        ZoneId zone = root.session().clock().getZone();
        Table table = GroupTables.partitions(name, group, dead, lags, zone);
        return switch (format) {
            case JSON, JSONL -> Json.write(object(group, dead, lags, table, zone)) + "\n";
            case NAME -> name + "\n";
            case CSV -> table.render(format, false);
            case TABLE, WIDE ->
                head(group, dead, lags, zone) + (table.isEmpty() ? "" : "\n" + table.render(format, root.colorful()));
        };
    }

    private Map<String, Object> object(Group group, Set<String> dead, List<Lag> lags, Table table, ZoneId zone) {
        Table summary = GroupTables.groups();
        GroupTables.row(summary, name, group, dead, lags);
        Map<String, Object> object = new LinkedHashMap<>(summary.objects().getFirst());
        group.expectation().ifPresent(expectation -> {
            object.put("expectedMembers", expectation.members());
            object.put("expectedWithinMs", expectation.within().toMillis());
        });
        group.forming().ifPresent(forming -> {
            object.put("formingMembers", forming.expectation().members());
            object.put("completesAt", forming.completesAt().toEpochMilli());
        });
        object.put("aheadCount", lags.stream().mapToLong(CommitsAhead::records).sum());
        object.put("falseAlarmCount", group.falseAlarms().count());
        object.put("falseAlarms", Alarms.objects(group.falseAlarms().last()));
        object.put("members", GroupTables.members(name, group, dead, zone).objects());
        object.put("partitions", table.objects());
        return object;
    }

    private String head(Group group, Set<String> dead, List<Lag> lags, ZoneId zone) {
        StringBuilder head = new StringBuilder();
        int partitions = GroupTables.partitionCount(group);
        long unowned = GroupTables.unownedCount(group);
        line(head, "group", name);
        line(head, "state", state(group, dead) + forming(group, zone));
        group.expectation()
                .filter(any -> group.forming().isEmpty())
                .ifPresent(expectation -> line(
                        head,
                        "expects",
                        Counts.of(expectation.members(), "member") + " within " + Spans.show(expectation.within())
                                + ", when it next starts without members"));
        line(head, "generation", group.generation());
        String notAlive = dead.isEmpty() ? "" : ", " + dead.size() + " dead and not yet replaced";
        line(head, "members", GroupTables.memberCount(group) + notAlive);
        line(head, "partitions", partitions + (unowned == 0 ? "" : ", " + unowned + " unowned"));
        line(head, "lag", LagTotal.of(lags).text().replaceFirst("^lag ", ""));
        CommitsAhead.in(lags).forEach(ahead -> line(head, "records gone", ahead));
        GroupTables.assignor(group).ifPresent(assignor -> line(head, "assignor", Names.printable(assignor)));
        FalseAlarms alarms = group.falseAlarms();
        if (alarms.count() > 0) {
            line(
                    head,
                    "false alarms",
                    alarms.count() + " expelled after a broken connection, though alive; the last: "
                            + Alarms.text(alarms.last().getLast(), zone));
        }
        if (!group.history().isEmpty()) {
            Generation last = group.history().getLast();
            line(head, "last change", Moments.show(last.at(), zone) + ": " + Names.printable(last.cause()));
        }
        return head.toString();
    }

    private static String state(Group group, Set<String> dead) {
        GroupPhase phase = GroupPhase.of(group, dead);
        return phase == GroupPhase.MEMBERS_DIED
                ? phase + ": the process of every member is dead; the next member that joins takes over"
                : phase.toString();
    }

    /** The progress of a group that forms: {@code : 3 of 5, completes at …}. */
    private static String forming(Group group, ZoneId zone) {
        return group.forming()
                .map(forming -> ": " + group.members().size() + " of "
                        + forming.expectation().members() + ", completes at "
                        + Moments.show(forming.completesAt().toEpochMilli(), zone))
                .orElse("");
    }

    private static void line(StringBuilder head, String key, Object value) {
        head.append(key).append(" ".repeat(14 - key.length())).append(value).append('\n');
    }
}
