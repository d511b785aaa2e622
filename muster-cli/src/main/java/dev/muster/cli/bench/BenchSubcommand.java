package dev.muster.cli.bench;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Reads the options that all commands share, checks, measures, prints. */
abstract class BenchSubcommand implements Callable<Integer> {
    @Mixin
    private BenchOptions options;

    @Spec
    private CommandSpec spec;

    /** What is wrong with the options of this command, or null. */
    abstract String problem();

    /** @param directory where to measure; null: in a temporary directory */
    abstract Measurement measure(Path directory) throws Exception;

    final BenchOptions options() {
        return options;
    }

    @Override
    public final Integer call() throws Exception {
        String problem = options.problem() == null ? problem() : options.problem();
        if (problem != null) {
            throw new ParameterException(spec.commandLine(), problem);
        }
        boolean json = isJson(String.valueOf(shared("--output")));
        // Only a directory that was named: the default one, or that of the environment, may hold what people need.
        Measurement measurement = measure((Path) shared("--data"));
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? measurement.json() : measurement.text());
        out.flush();
        return 0;
    }

    private boolean isJson(String format) {
        return switch (format) {
            case "json", "jsonl" -> true;
            case "null", "table" -> false;
            default ->
                throw new ParameterException(
                        spec.commandLine(), "--output must be table or json here, it is " + format);
        };
    }

    /** The value of an option of the root command; null when it was not given. */
    private Object shared(String name) {
        OptionSpec option = spec.root().findOption(name);
        return option == null ? null : option.getValue();
    }
}
