package dev.muster.bench;

import dev.muster.bench.cases.Case;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What the caller asked for.
 *
 * @param cases which cases, in this order
 * @param repetitions how often each contestant has its turn
 * @param quick small amounts and one repetition: shows that all works and roughly where it stands
 * @param directory where the queues are written; the file system matters more than anything else here
 * @param seed the records and the jitter follow from it
 * @param jsonLines one JSON object a line instead of tables
 * @param strict a missed target is a failure
 * @param logMib how much log a server is restarted on
 */
public record Options(
        List<Case> cases,
        int repetitions,
        boolean quick,
        Path directory,
        long seed,
        boolean jsonLines,
        boolean strict,
        int logMib) {

    static final String USAGE = """
        usage: run [--quick] [--cases CASE,...] [--reps N] [--dir DIR] [--seed N] [--log-mib N] [-o table|jsonl] [--strict]

          --quick     about a minute, with --cases kafka four: one repetition, small amounts
          --cases     which cases, separated by commas (%s):
                      %s
                      kafka is all that begin so: muster serve beside Apache Kafka's broker, which is fetched
          --reps      repetitions; the median of the ratios counts (5, with Kafka 3; 1 with --quick)
          --dir       where the queues are written (the temporary directory): use the disk you care about
          --seed      records and jitter follow from it (7)
          --log-mib   kafka-restart: how much log there is (1024; 128 with --quick)
          -o jsonl    one JSON object a line instead of tables
          --strict    exit with 1 when a target is missed
        """.formatted(
            Case.queues().stream().map(Case::name).collect(Collectors.joining(",")), String.join(" ", Case.names()));

    static Options parse(String[] args) {
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
        return new Options(cases, times, quick, directory, seed, jsonLines, strict, mib);
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
