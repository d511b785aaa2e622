package dev.muster.cli;

import dev.muster.cli.command.Opener;
import dev.muster.cli.command.Session;
import dev.muster.cli.command.StopSignal;
import dev.muster.cli.command.Terminal;
import dev.muster.core.json.Json;
import dev.muster.embedded.Muster;
import dev.muster.embedded.internal.GroupInspection;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Runs commands as a script would, in this process, on a queue in memory that outlives each run, or on a directory. */
public final class Cli implements AutoCloseable {
    private final Muster muster;
    private final Path directory;
    private GroupInspection groups;
    private boolean readOnly;
    private Clock clock = Clock.systemUTC();
    private Terminal terminal = Terminal.NONE;
    private UnaryOperator<String> environment = name -> null;

    private Cli(Muster muster, Path directory) {
        this.muster = muster;
        this.directory = directory;
    }

    public static Cli inMemory() {
        return new Cli(Muster.inMemory(), null);
    }

    public static Cli onDirectory(Path directory) {
        return new Cli(null, directory);
    }

    public Cli withTerminal(Terminal attached) {
        terminal = attached;
        return this;
    }

    public Cli withEnvironment(Map<String, String> variables) {
        environment = variables::get;
        return this;
    }

    /** The same, for a user without the right to write. */
    public Cli withoutWriting() {
        readOnly = true;
        return this;
    }

    /** The same, with these groups and this clock in place of the real ones. */
    public Cli withGroups(GroupInspection fixed, Clock time) {
        groups = fixed;
        clock = time;
        return this;
    }

    public Muster muster() {
        return muster;
    }

    /** The result of a run. */
    public record Result(int exitCode, byte[] outBytes, String err) {
        public String out() {
            return new String(outBytes, StandardCharsets.UTF_8);
        }

        public Object json() {
            return Json.parse(out());
        }

        @SuppressWarnings("unchecked")
        public Map<String, Object> errJson() {
            return (Map<String, Object>) Json.parse(err);
        }

        public List<String> lines() {
            return out().lines().toList();
        }
    }

    public Result run(String... args) {
        return run(new byte[0], args);
    }

    public Result runWith(String input, String... args) {
        return run(input.getBytes(StandardCharsets.UTF_8), args);
    }

    public Result run(byte[] input, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = Main.run(session(new ByteArrayInputStream(input), out, err, new StopSignal()), args);
        return new Result(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    public Session session(InputStream in, OutputStream out, OutputStream err, StopSignal stop) {
        Opener opener = muster == null
                ? (ignored, options) ->
                        Opener.DIRECTORY.open(directory, options.withReadOnly(readOnly || options.readOnly()))
                : (ignored, options) ->
                        new Opener.Opened(muster, () -> groups == null ? GroupInspection.of(muster) : groups, () -> {});
        return new Session(in, out, err, environment, terminal, opener, stop, clock, false);
    }

    @Override
    public void close() {
        if (muster != null) {
            muster.close();
        }
    }
}
