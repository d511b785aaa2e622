package dev.muster.cli.bench;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.RootCommand;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** One measurement: checks its options, measures on a topic of its own, and prints the result. */
abstract class MeasureCommand implements Callable<Integer> {
    @Mixin
    private BenchOptions options;

    @Spec
    private CommandSpec spec;

    private final RootCommand root;

    MeasureCommand(RootCommand root) {
        this.root = root;
    }

    /** Checks the options of this command. */
    abstract void check();

    abstract Measurement measure(BenchTopic topic) throws Exception;

    final BenchOptions options() {
        return options;
    }

    @Override
    public final Integer call() throws Exception {
        options.check();
        check();
        boolean json = root.output().isJson();
        boolean named = spec.root().findOption("--data").getValue() != null;
        Measurement measurement;
        try (BenchTopic topic = BenchTopic.make(root, named, options.sync())) {
            measurement = measure(topic);
        }
        root.session().print(json ? measurement.json() : measurement.text());
        return ExitCode.DONE.code();
    }

    /** Ends the command after a signal. Called from time to time while measuring: half a measurement has no result. */
    final void endWhenAsked() {
        if (root.session().stop().isRaised()) {
            throw new CommandException(ExitCode.INTERRUPTED, "interrupted", null);
        }
    }
}
