package dev.muster.cli.demo;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Session;
import dev.muster.cli.text.DurationParser;
import dev.muster.cli.text.Rate;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster demo}. */
@Command(
        name = "demo",
        description = {
            "A playground: a producer, two groups, several member processes, in a folder that is deleted at the end.",
            "Kill a member and watch its partitions move."
        },
        footer = {
            "",
            "Keys: k kill a member, s stop or continue it, a add one, n choose the next, q quit.",
            "",
            "Examples:",
            "  muster demo",
            "  muster demo --auto --for 20s"
        })
public final class DemoCommand implements Callable<Integer> {
    private static final Duration AUTO_LENGTH = Duration.ofSeconds(20);
    private static final int PARTITIONS_MAX = 16;
    private static final int MEMBERS_MAX = 8;

    private final RootCommand root;
    private final Class<?> memberMain;

    @Option(
            names = "--auto",
            description = "Run a script that adds, kills and stops members. The default without a terminal.")
    private boolean auto;

    @Option(names = "--for", paramLabel = "TIME", description = "End after this time (default: 20s with --auto).")
    private String length;

    @Option(
            names = {"-P", "--partitions"},
            paramLabel = "N",
            description = "Partitions of the topic (default: 8).")
    private int partitions = 8;

    @Option(names = "--members", paramLabel = "N", description = "Members of each group at the start (default: 2).")
    private int members = 2;

    @Option(names = "--rate", paramLabel = "N/s", description = "Records that are produced (default: 100/s).")
    private String rate = "100/s";

    /** @param memberMain the class that a member process runs, with the arguments of {@code muster} */
    public DemoCommand(RootCommand root, Class<?> memberMain) {
        this.root = root;
        this.memberMain = memberMain;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Duration asked = RootCommand.argument("--for", length, DurationParser::parse);
        Rate speed = RootCommand.argument("--rate", rate, Rate::parse);
        between("--partitions", partitions, PARTITIONS_MAX);
        between("--members", members, MEMBERS_MAX);
        if (asked != null && !asked.isPositive()) {
            throw CommandException.usage("--for must be more than 0", "--for 30s");
        }
        Session session = root.session();
        boolean byKeys = !auto && root.mayAsk() && session.terminal().out();
        Duration time = asked != null ? asked : byKeys ? null : AUTO_LENGTH;
        // Members are asked to end, and get some time for it.
        session.stop().allow(Duration.ofSeconds(10));
        root.note("starting members");
        try (Playground playground = new Playground(session, memberMain, partitions, speed)) {
            new DemoRun(root, playground, byKeys, time).run(members);
        }
        return (session.stop().isRaised() ? ExitCode.INTERRUPTED : ExitCode.DONE).code();
    }

    private static void between(String option, int number, int most) {
        if (number < 1 || number > most) {
            throw CommandException.usage(
                    option + ": 1 to " + most + ", it is " + number, option + " " + Math.clamp(number, 1, most));
        }
    }
}
