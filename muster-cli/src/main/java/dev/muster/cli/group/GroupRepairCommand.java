package dev.muster.cli.group;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.Table;
import dev.muster.cli.text.Table.Column;
import dev.muster.cli.text.Table.Shown;
import dev.muster.core.Counts;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.repair.JournalDamage;
import dev.muster.core.group.repair.RepairPlan;
import dev.muster.core.group.repair.RepairPlan.Step;
import dev.muster.core.json.Json;
import dev.muster.embedded.internal.GroupInspection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster group repair}. Shows its plan, and performs it only with {@code --execute}. */
@Command(
        name = "repair",
        description = {
            "Rebuild a group whose files are damaged. Shows the plan and changes nothing, unless --execute is given.",
            "Offsets come from the good part of the journal and from the view files. Members must join again.",
            "Refused while a process that may know more of the group lives; such a process heals the group by itself."
        },
        footer = {"", "Examples:", "  muster group repair billing", "  muster group repair billing --execute"})
final class GroupRepairCommand implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "GROUP", description = "The group to repair.")
    private String name;

    @Option(names = "--execute", description = "Perform the repair.")
    private boolean execute;

    GroupRepairCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        new GroupName(name);
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            GroupInspection groups = opened.groups();
            RepairPlan plan = groups.planRepair(name)
                    .orElseThrow(() -> new CommandException(
                            ExitCode.NOT_FOUND,
                            "there is no group \"" + name + "\"",
                            "see which there are: muster group list"));
            boolean executed = execute && plan.needed();
            if (executed) {
                refuseWhileKnown(plan);
                groups.repair(plan);
            }
            print(plan, executed);
        }
        return ExitCode.DONE.code();
    }

    private void refuseWhileKnown(RepairPlan plan) {
        if (!plan.writers().isEmpty()) {
            throw new CommandException(
                    ExitCode.REFUSED,
                    "group \"" + name + "\" is not repaired: " + processes(plan)
                            + " wrote to its journal, may know its state, and did not heal it",
                    "stop or continue these processes, then repeat the command");
        }
    }

    private static String processes(RepairPlan plan) {
        List<String> names =
                plan.writers().stream().map(GroupRepairCommand::process).toList();
        return (names.size() == 1 ? "process " : "processes ") + String.join(", ", names);
    }

    private static String process(HostId host) {
        OptionalLong pid = Names.pid(host);
        return pid.isPresent() ? Long.toString(pid.getAsLong()) : host.value();
    }

    private void print(RepairPlan plan, boolean executed) {
        Table table = table(plan);
        switch (root.output()) {
            case JSON, JSONL -> root.session().print(Json.write(object(plan, table, executed)) + "\n");
            case TABLE, WIDE -> {
                found(plan).forEach(root::note);
                if (plan.needed()) {
                    root.session().print(table.render(root.output(), root.colorful()));
                }
                root.note(outcome(plan, executed));
            }
            case CSV, NAME -> root.session().print(table.render(root.output(), false));
        }
    }

    private static List<String> found(RepairPlan plan) {
        List<String> found = new ArrayList<>();
        plan.file().ifPresent(problem -> found.add("group.json: " + problem + "; it is written again"));
        for (JournalDamage damage : plan.damages()) {
            found.add(damage.file()
                            .map(file -> file + " at byte " + damage.position())
                            .orElse("the journal") + ": " + damage.problem() + "; lost: " + versions(damage));
        }
        if (!plan.damages().isEmpty()) {
            found.add("good: "
                    + (plan.snapshot().isPresent()
                            ? "the snapshot at version " + plan.snapshot().getAsLong()
                            : "no snapshot")
                    + ", " + Counts.of(plan.linesBefore(), "line") + " in front of the damage, "
                    + entries(plan.linesBehind()) + " behind it");
        }
        if (plan.members() > 0 && !plan.damages().isEmpty()) {
            found.add(
                    plan.members() == 1
                            ? "the group's member must join again"
                            : "the group's " + plan.members() + " members must join again");
        }
        return found;
    }

    private static String versions(JournalDamage damage) {
        long last = damage.nextVersion() - 1;
        return damage.firstVersion() == last ? "version " + last : "versions " + damage.firstVersion() + " to " + last;
    }

    private static String entries(int count) {
        return count == 1 ? "1 entry" : count + " entries";
    }

    private String outcome(RepairPlan plan, boolean executed) {
        if (!plan.needed()) {
            return "group " + name + " is not damaged: nothing to repair";
        }
        if (plan.rebuilt().deleted()) {
            return executed ? "group " + name + " was deleted before the damage: it is gone" : "the group was deleted";
        }
        if (executed) {
            return "group " + name + " repaired: "
                    + Counts.of(plan.rebuilt().offsets().size(), "committed offset");
        }
        return "nothing was changed: --execute does it"
                + (plan.writers().isEmpty() ? "" : ", once " + processes(plan) + " ended or healed the group");
    }

    private static Table table(RepairPlan plan) {
        Table table = new Table(
                Column.of("TOPIC", "topic"),
                Column.of("PARTITION", "partition"),
                Column.of("OFFSET-BEFORE", "offsetBefore"),
                Column.of("OFFSET-AFTER", "offsetAfter"),
                Column.of("FROM", "from"),
                Column.of("TWICE-AT-MOST", "deliveredTwiceAtMost"));
        for (Step step : plan.partitions()) {
            table.row(
                    step.partition().topic().value(),
                    step.partition().partition(),
                    offset(step.before()),
                    offset(step.after()),
                    from(step),
                    step.again());
        }
        return table;
    }

    private static Shown offset(Optional<CommittedOffset> offset) {
        return GroupTables.number(
                offset.isEmpty()
                        ? OptionalLong.empty()
                        : OptionalLong.of(offset.get().offset()));
    }

    private static Shown from(Step step) {
        return switch (step.source()) {
            case BEFORE -> new Shown("before", "before the damage");
            case BEHIND ->
                new Shown("behind", "journal, version " + step.version().orElseThrow());
            case VIEW ->
                new Shown("view", "view file, version " + step.version().orElseThrow());
            case NONE -> Shown.NONE;
        };
    }

    private Map<String, Object> object(RepairPlan plan, Table table, boolean executed) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("group", name);
        object.put("needed", plan.needed());
        object.put("executed", executed);
        object.put("file", plan.file().orElse(null));
        object.put(
                "damages",
                plan.damages().stream().map(GroupRepairCommand::object).toList());
        object.put("lostEntries", plan.lost());
        object.put(
                "processes",
                plan.writers().stream().map(host -> (Object) host.value()).toList());
        object.put("membersToJoinAgain", plan.damages().isEmpty() ? 0 : plan.members());
        object.put("partitions", table.objects());
        return object;
    }

    private static Map<String, Object> object(JournalDamage damage) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("file", damage.file().orElse(null));
        object.put("position", damage.position());
        object.put("firstVersion", damage.firstVersion());
        object.put("nextVersion", damage.nextVersion());
        object.put("problem", damage.problem());
        return object;
    }
}
