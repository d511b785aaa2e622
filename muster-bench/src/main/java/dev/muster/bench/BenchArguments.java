package dev.muster.bench;

import dev.muster.bench.cases.Case;
import dev.muster.bench.measure.Options;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The command line of {@link Bench}.
 *
 * @param cases the cases to run, in this order
 * @param jsonLines true for one JSON object a line instead of tables
 * @param strict true if a missed target is a failure
 */
record BenchArguments(List<Case> cases, Options options, boolean jsonLines, boolean strict) {
    static final String USAGE = """
        usage: run [--quick] [--cases CASE,...] [--reps N] [--dir DIR] [--seed N] [--log-mib N] [-o table|jsonl] [--strict]

          --quick     about a minute, with --cases kafka four: one repetition, small amounts
          --cases     which cases, separated by commas (%s):
                      %s
                      kafka means all cases whose names begin so: muster serve beside Apache Kafka's broker, which is downloaded
          --reps      repetitions; the median of the ratios counts (5, with Kafka 3; 1 with --quick)
          --dir       where the queues are written (the temporary directory): use the disk you care about
          --seed      records and jitter follow from it (7)
          --log-mib   kafka-restart: how much log there is (1024; 128 with --quick)
          -o jsonl    one JSON object a line instead of tables
          --strict    exit with 1 when a target is missed
        """.formatted(
            Case.queues().stream().map(Case::name).collect(Collectors.joining(",")), String.join(" ", Case.names()));

    static BenchArguments parse(String[] args) {
        List<Case> cases = Case.queues();
        int repetitions = 0;
        boolean quick = false;
        Path directory = Path.of(System.getProperty("java.io.tmpdir"));
        long seed = 7;
        boolean jsonLines = false;
        boolean strict = false;
        int logMib = 0;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--quick" -> quick = true;
                case "--strict" -> strict = true;
                case "--cases" -> cases = Case.named(List.of(value(args, ++i).split(",")));
                case "--reps" -> repetitions = Integer.parseInt(value(args, ++i));
                case "--dir" -> directory = Path.of(value(args, ++i));
                case "--seed" -> seed = Long.parseLong(value(args, ++i));
                case "--log-mib" -> logMib = Integer.parseInt(value(args, ++i));
                case "-o" -> jsonLines = outputIsJsonLines(value(args, ++i));
                default -> throw new IllegalArgumentException("unknown option " + args[i]);
            }
        }
        int usual = cases.stream().mapToInt(Case::repetitions).min().orElseThrow();
        int times = repetitions > 0 ? repetitions : quick ? 1 : usual;
        int mib = logMib > 0 ? logMib : quick ? 128 : 1024;
        return new BenchArguments(cases, new Options(times, quick, directory, seed, mib), jsonLines, strict);
    }

    private static String value(String[] args, int at) {
        if (at == args.length) {
            throw new IllegalArgumentException(args[at - 1] + " needs a value");
        }
        return args[at];
    }

    private static boolean outputIsJsonLines(String format) {
        return switch (format) {
            case "jsonl" -> true;
            case "table" -> false;
            default -> throw new IllegalArgumentException("-o must be table or jsonl, it is " + format);
        };
    }
}
