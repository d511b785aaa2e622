package dev.muster.cli.consume;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.ProgressLine;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Session;
import dev.muster.cli.command.TimeLimit;
import dev.muster.cli.text.ByteSink;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.Place;
import dev.muster.core.TopicName;
import dev.muster.embedded.Muster;
import dev.muster.embedded.OnDamage;
import dev.muster.embedded.Reader;
import dev.muster.embedded.ReaderBuilder;
import dev.muster.store.DamagedLogException;
import java.util.ArrayList;
import java.util.List;
import java.util.Stack;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code muster consume}. */
@Command(
        name = "consume",
        description = {
            "Write the records of topics to stdout, and continue with new ones.",
            "With -g as a member of a group, which shares the partitions among its members and remembers",
            "its position; then also to CMD instead of stdout."
        },
        customSynopsis = "muster consume [OPTIONS] TOPIC... [-- CMD ARGS...]",
        footer = {
            "",
            "PLACE: start, end, an offset, -N (before the end), -5h (ago), @MILLIS, 2026-01-31T12:00Z.",
            "FORMAT: %%t topic, %%p partition, %%o offset, %%k key, %%s value, %%h headers, %%T time,",
            "        %%K %%S lengths of key and value (-1: null), %%R length of the value as 4 bytes,",
            "        %%%% percent; \\n \\t \\r \\xNN bytes.",
            "",
            "Examples:",
            "  muster consume orders --exit",
            "  muster consume orders --tail 20",
            "  muster consume orders --from -1h --exit -f '%%p@%%o %%k: %%s\\n'",
            "  muster consume orders -n 1 --timeout 30s -o jsonl",
            "  muster consume orders -g billing --id A",
            "  muster consume orders -g billing --each -- ./bill.sh"
        })
@Formats({OutputFormat.JSON, OutputFormat.JSONL})
public final class ConsumeCommand implements Callable<Integer> {
    private static final int BUFFER_BYTES = 256 << 10;

    private final RootCommand root;

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "TOPIC",
            description = "The topics to read; after --, a command that takes the records (with -g).")
    private List<String> words = new ArrayList<>();

    @Option(names = "--from", paramLabel = "PLACE", description = "Where to begin (default: start).")
    private String from;

    @Option(names = "--to", paramLabel = "PLACE", description = "Where to end; the record there is not written.")
    private String to;

    @Option(
            names = {"-p", "--partition"},
            paramLabel = "N",
            split = ",",
            description = "Only these partitions; may be repeated.")
    private int[] partitions = {};

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "End after this many records.")
    private long count = Long.MAX_VALUE;

    @Option(names = "--exit", description = "End at the end of the log, as it is when reading begins.")
    private boolean exit;

    @Option(
            names = "--tail",
            paramLabel = "N",
            arity = "0..1",
            fallbackValue = "10",
            preprocessor = NumberOrNone.class,
            description = "The last N records (default: 10) of all partitions, then new ones; with --exit only these.")
    private Integer tail;

    @Option(names = "--wait", description = "Wait for topics that do not exist yet.")
    private boolean await;

    @Mixin
    private final RecordOutput recordOutput = new RecordOutput();

    @Mixin
    private final GroupOptions group = new GroupOptions();

    private List<String> topics;
    private List<String> command;
    private boolean damaged;

    public ConsumeCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        split();
        validate();
        Session session = root.session();
        TimeLimit limit = root.timeLimit();
        // A member of a group waits for its topics within the group; only the directory must exist.
        List<String> awaited = group.isGiven() ? List.of() : topics;
        Opener.Opened opened =
                await ? new TopicWait(root, awaited, limit).open() : root.open(RootCommand.Access.EXISTING);
        if (opened != null) {
            try (opened) {
                if (group.isGiven()) {
                    readAsMember(opened, limit);
                } else {
                    read(opened.muster(), limit);
                }
            }
        }
        if (session.stop().isRaised()) {
            return ExitCode.INTERRUPTED.code();
        }
        return (damaged ? ExitCode.FAILED : ExitCode.DONE).code();
    }

    /** Splits the words at the first {@code --}; those after it are a command with its arguments. */
    private void split() {
        List<String> all = spec.commandLine().getParseResult().originalArgs();
        int separator = all.indexOf("--");
        int commandWords = separator < 0 ? 0 : Math.min(words.size(), all.size() - separator - 1);
        topics = List.copyOf(words.subList(0, words.size() - commandWords));
        command = List.copyOf(words.subList(words.size() - commandWords, words.size()));
        if (separator >= 0 && command.isEmpty()) {
            throw CommandException.usage("there is no command after --", "muster consume TOPIC -g GROUP -- CMD");
        }
    }

    private void readAsMember(Opener.Opened opened, TimeLimit limit) {
        Place begin = from == null ? new Place.Start() : place("--from", from);
        new GroupConsume(
                        root,
                        group,
                        recordOutput,
                        topics,
                        command,
                        begin,
                        exit,
                        await,
                        count,
                        limit,
                        this::reportDamage)
                .run(opened);
    }

    private void validate() {
        if (topics.isEmpty() && !group.hasPattern()) {
            throw CommandException.usage("no topic is named", "muster consume --help");
        }
        topics.forEach(TopicName::new);
        group.validate(!command.isEmpty());
        if (group.isGiven()) {
            validateForGroup();
        }
        if (topics.stream().distinct().count() != topics.size()) {
            throw CommandException.usage("a topic is named twice", null);
        }
        if (tail != null && from != null) {
            throw CommandException.usage(
                    "--tail and --from exclude each other", "--from -" + tail + " counts in each partition");
        }
        if (tail != null && to != null) {
            throw CommandException.usage("--tail and --to exclude each other", null);
        }
        if (count < 0 || tail != null && tail < 0) {
            throw CommandException.usage("a number of records is not negative", null);
        }
        for (int partition : partitions) {
            if (partition < 0) {
                throw CommandException.usage("--partition: a partition number is not negative: " + partition, null);
            }
        }
        recordOutput.validate(root);
        place("--from", from);
        if (place("--to", to) instanceof Place.AtTime(var time)
                && time.isAfter(root.session().clock().instant())) {
            throw CommandException.usage("--to: " + time + " is still to come", "use --timeout to end at a later time");
        }
    }

    private void validateForGroup() {
        if (to != null || tail != null || partitions.length > 0) {
            throw CommandException.usage(
                    (to != null ? "--to" : tail != null ? "--tail" : "--partition") + " and --group exclude each other",
                    "a group decides what its members read; without -g everything can be chosen");
        }
        if (!command.isEmpty() && root.outputGiven() && root.output() == OutputFormat.JSON) {
            throw CommandException.usage("a command takes records one by one, not as one array", "-o jsonl");
        }
    }

    private Place place(String option, String text) {
        var clock = root.session().clock();
        return RootCommand.argument(option, text, value -> Place.parse(value, clock.instant(), clock.getZone()));
    }

    private void read(Muster muster, TimeLimit limit) {
        Session session = root.session();
        Place begin =
                tail != null ? new Place.BeforeEnd(tail) : from == null ? new Place.Start() : place("--from", from);
        try (Reader<byte[], byte[]> reader = reader(muster, begin)) {
            ByteSink out = new ByteSink(session.out(), BUFFER_BYTES);
            boolean showProgress = !root.quiet() && !session.terminal().out();
            ProgressLine progress = new ProgressLine(session, "records", showProgress);
            ConsumeRun run = new ConsumeRun(
                    reader,
                    out,
                    recordOutput.begin(root, out),
                    session.stop(),
                    new Gaps(muster.topics(), root),
                    progress,
                    count,
                    limit);
            if (begin instanceof Place.At(long offset)) {
                Starts.refuseBehindEnd(muster.topics(), reader.positions().keySet(), offset);
            }
            Bounds bounds =
                    Bounds.of(muster.topics(), reader.positions().keySet(), place("--to", to), exit || tail != null);
            try {
                consume(run, reader, bounds);
            } finally {
                recordOutput.end(out);
                run.flush();
                progress.clear();
            }
        }
    }

    private void consume(ConsumeRun run, Reader<byte[], byte[]> reader, Bounds bounds) {
        if (tail == null) {
            run.writeUntil(bounds);
            return;
        }
        LastRecords last = new LastRecords(tail);
        run.collectUntil(bounds, last);
        run.write(last.oldestFirst(), Bounds.none());
        if (!exit) {
            // Records that came while the last ones were chosen are read but not written yet.
            bounds.ends().forEach(reader::seek);
            run.writeUntil(Bounds.none());
        }
    }

    private Reader<byte[], byte[]> reader(Muster muster, Place begin) {
        ReaderBuilder<byte[], byte[]> builder = muster.reader(topics.toArray(String[]::new))
                .from(Starts.of(begin))
                .onDamage(OnDamage.SKIP, this::reportDamage);
        return (partitions.length == 0 ? builder : builder.partitions(partitions)).open();
    }

    private void reportDamage(DamagedLogException damage) {
        damaged = true;
        root.session().note("muster: " + damage.getMessage() + "; going on at offset " + damage.nextOffset());
    }

    /** Allows {@code --tail} in front of a topic's name: only a number is its value. */
    static final class NumberOrNone implements IParameterPreprocessor {
        @Override
        public boolean preprocess(
                Stack<String> args,
                picocli.CommandLine.Model.CommandSpec command,
                picocli.CommandLine.Model.ArgSpec argument,
                java.util.Map<String, Object> info) {
            boolean attached = !String.valueOf(info.get("separator")).isBlank();
            if (!attached && !args.isEmpty() && !isNumber(args.peek())) {
                args.push("10");
            }
            return false;
        }

        private static boolean isNumber(String word) {
            return !word.isEmpty() && word.chars().allMatch(c -> c >= '0' && c <= '9');
        }
    }
}
