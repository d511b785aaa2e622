package dev.muster.cli.consume;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.DurationParser;
import dev.muster.core.group.model.GroupName;
import dev.muster.embedded.ConsumerBuilder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine.Option;

/** The options of {@code consume} for its membership in a group. Without {@code -g} they are refused. */
final class GroupOptions {
    private static final List<String> ASSIGNORS = List.of("sticky", "range", "roundrobin");
    private static final Duration SESSION = Duration.ofSeconds(30);
    private static final Duration HEARTBEAT_MAX = Duration.ofSeconds(5);
    private static final int RETRIES = 3;

    @Option(
            names = {"-g", "--group"},
            paramLabel = "GROUP",
            description = "Read as a member of this group, and commit the written records.")
    private String group;

    @Option(names = "--id", paramLabel = "NAME", description = "The name of this member in lists and notes.")
    private String id;

    @Option(
            names = "--instance",
            paramLabel = "NAME",
            description = "A static member: may restart within its session without a rebalance.")
    private String instance;

    @Option(
            names = "--pattern",
            paramLabel = "REGEX",
            description = "Also all topics whose whole name matches, including later ones.")
    private String pattern;

    @Option(
            names = "--session",
            paramLabel = "TIME",
            description = "Session timeout: expelled after this time without a heartbeat (default: 30s).")
    private String session;

    @Option(
            names = "--heartbeat",
            paramLabel = "TIME",
            description = "Interval of heartbeats (default: 5s, at most a third of the session).")
    private String heartbeat;

    @Option(
            names = "--max-poll",
            paramLabel = "TIME",
            description = "Leave the group if writing takes longer (default: 5m).")
    private String maxPoll;

    @Option(
            names = "--assignor",
            paramLabel = "NAME",
            description = "The assignor: sticky (default), range or roundrobin.")
    private String assignor;

    @Option(
            names = "--commit-every",
            paramLabel = "TIME",
            description = "Interval of commits (default: 5s); 0s: after each read.")
    private String commitEvery;

    @Option(
            names = "--expect",
            paramLabel = "N",
            description = "As the first member: assign no partition before N members joined, or 10s have passed.")
    private Integer expect;

    @Option(names = "--each", description = "Run CMD for every record, the value on its stdin; exit code 0 commits.")
    private boolean each;

    @Option(
            names = "--retries",
            paramLabel = "N",
            description = "With --each: how often a failed CMD is run again (default: 3).")
    private Integer retries;

    boolean isGiven() {
        return group != null;
    }

    boolean each() {
        return each;
    }

    int retries() {
        return retries == null ? RETRIES : retries;
    }

    String group() {
        return group;
    }

    boolean hasPattern() {
        return pattern != null;
    }

    /** The member's name in notes on stderr. */
    String name() {
        return id != null ? id : instance != null ? instance : "this member";
    }

    void validate(boolean command) {
        if (group == null) {
            refuseWithoutGroup(command);
            return;
        }
        new GroupName(group);
        positive("--session", session);
        positive("--heartbeat", heartbeat);
        positive("--max-poll", maxPoll);
        commitEvery();
        checkHeartbeat();
        notBlank("--id", id);
        notBlank("--instance", instance);
        if (assignor != null && !ASSIGNORS.contains(assignor)) {
            throw CommandException.usage(
                    "--assignor: \"" + assignor + "\" is not known", "use " + String.join(", ", ASSIGNORS));
        }
        if (expect != null && expect < 1) {
            throw CommandException.usage("--expect: at least one member is expected, not " + expect, "--expect 3");
        }
        if ((each || retries != null) && !command) {
            throw CommandException.usage("--each needs a command", "muster consume TOPIC -g GROUP --each -- CMD");
        }
        if (retries != null && (!each || retries < 0)) {
            throw CommandException.usage(
                    "--retries goes with --each, and is not negative", "--each --retries 3 -- CMD");
        }
        checkPattern();
    }

    private void refuseWithoutGroup(boolean command) {
        Map<String, Object> others = new LinkedHashMap<>();
        others.put("--id", id);
        others.put("--instance", instance);
        others.put("--pattern", pattern);
        others.put("--session", session);
        others.put("--heartbeat", heartbeat);
        others.put("--max-poll", maxPoll);
        others.put("--assignor", assignor);
        others.put("--commit-every", commitEvery);
        others.put("--expect", expect);
        others.put("--each", each ? true : null);
        others.put("--retries", retries);
        others.put("a command after --", command ? true : null);
        others.forEach((option, value) -> {
            if (value != null) {
                throw CommandException.usage(option + " needs a group", "muster consume TOPIC -g GROUP");
            }
        });
    }

    private void checkHeartbeat() {
        Duration whole = session == null ? SESSION : session();
        if (heartbeat != null && heartbeat().multipliedBy(3).compareTo(whole) > 0) {
            throw CommandException.usage(
                    "--heartbeat is " + heartbeat + ", which is more than a third of the session",
                    "--session " + heartbeat().multipliedBy(3).toMillis() + "ms");
        }
    }

    private static void notBlank(String option, String text) {
        if (text != null && text.isBlank()) {
            throw CommandException.usage(option + " must not be blank", option + " NAME");
        }
    }

    private void checkPattern() {
        if (pattern == null) {
            return;
        }
        try {
            Pattern.compile(pattern);
        } catch (PatternSyntaxException e) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--pattern: \"" + pattern + "\" is not a regular expression: " + e.getDescription(),
                    "--pattern 'orders-.*' for all topics whose names begin so; quote it for the shell",
                    e);
        }
    }

    private static void positive(String option, String text) {
        Duration time = RootCommand.argument(option, text, DurationParser::parse);
        if (time != null && !time.isPositive()) {
            throw CommandException.usage(option + " must be more than 0", option + " 30s");
        }
    }

    private Duration session() {
        return RootCommand.argument("--session", session, DurationParser::parse);
    }

    private Duration heartbeat() {
        return RootCommand.argument("--heartbeat", heartbeat, DurationParser::parse);
    }

    Duration commitEvery() {
        return RootCommand.argument("--commit-every", commitEvery, DurationParser::parse);
    }

    private Duration maxPoll() {
        return RootCommand.argument("--max-poll", maxPoll, DurationParser::parse);
    }

    /** Records are committed only when they are acknowledged: see {@link Delivery}. */
    <K, V> ConsumerBuilder<K, V> describe(ConsumerBuilder<K, V> plain) {
        ConsumerBuilder<K, V> builder = plain.ackEach();
        builder = id == null ? builder : builder.id(id);
        builder = instance == null ? builder : builder.instance(instance);
        builder = pattern == null ? builder : builder.pattern(pattern);
        builder = assignor == null ? builder : builder.assignor(assignor);
        builder = expect == null ? builder : builder.expectedMembers(expect);
        builder = commitEvery == null ? builder : builder.commitEvery(commitEvery());
        if (session != null) {
            builder = builder.session(session());
        }
        Duration beat = heartbeat != null
                ? heartbeat()
                : session != null ? shorter(session().dividedBy(3)) : null;
        builder = beat == null ? builder : builder.heartbeat(beat);
        Duration patience = maxPoll != null ? maxPoll() : Duration.ofMinutes(5);
        builder = maxPoll == null ? builder : builder.maxPollInterval(patience);
        // A running command is not interrupted, so revoking waits for it.
        return each ? builder.maxRecords(1).revokeTimeout(patience) : builder;
    }

    private static Duration shorter(Duration third) {
        return third.compareTo(HEARTBEAT_MAX) < 0 ? third : HEARTBEAT_MAX;
    }
}
