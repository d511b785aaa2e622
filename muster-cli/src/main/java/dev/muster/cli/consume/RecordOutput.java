package dev.muster.cli.consume;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.OutputClosedException;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.ByteSink;
import dev.muster.cli.text.JsonRecordWriter;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.RecordFormat;
import dev.muster.cli.text.RecordWriter;
import java.io.IOException;
import picocli.CommandLine.Option;

/** The output of {@code consume}: values on lines, a format of the user, JSON lines, or one JSON array. */
final class RecordOutput {
    @Option(
            names = {"-f", "--format"},
            paramLabel = "FORMAT",
            description = "How to write a record, with kcat's letters.")
    private String format;

    private boolean array;

    void validate(RootCommand root) {
        if (format != null && root.outputGiven()) {
            throw CommandException.usage("--format and --output exclude each other", null);
        }
        RootCommand.argument("--format", format, RecordFormat::parse);
    }

    /** Writes the beginning of the output, before the first record. */
    RecordWriter begin(RootCommand root, ByteSink out) {
        if (format == null && root.outputGiven() && root.output() == OutputFormat.JSON) {
            array = true;
            write(out, "[");
            return new JsonRecordWriter().asArrayItems();
        }
        return writer(root, RecordWriter.VALUE_LINES);
    }

    /** The writer for a command that takes records one by one, or for an endless stream: never an array. */
    RecordWriter writer(RootCommand root, RecordWriter unlessTold) {
        if (format != null) {
            return RecordFormat.parse(format);
        }
        return root.outputGiven() ? new JsonRecordWriter() : unlessTold;
    }

    /** Writes the end of the output, after the last record. */
    void end(ByteSink out) {
        if (array) {
            write(out, "]\n");
        }
    }

    private static void write(ByteSink out, String text) {
        try {
            out.ascii(text);
        } catch (IOException e) {
            throw new OutputClosedException(e);
        }
    }
}
