package dev.muster.cli.serve;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.RootCommand;
import dev.muster.kafka.sasl.Mechanism;
import dev.muster.kafka.sasl.Users;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster credential}: prints a line for the users file that does not hold the password. */
@Command(
        name = "credential",
        description = {
            "Print a line for the users file of muster serve, from a password on stdin.",
            "The line can check the password and does not reveal it."
        },
        footer = {"", "Example:", "  muster credential alice >> users"})
public final class CredentialCommand implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "NAME", description = "The name of the user.")
    private String name;

    @Option(names = "--mechanism", paramLabel = "NAME", description = "SCRAM-SHA-256 (default) or SCRAM-SHA-512.")
    private String mechanism = Mechanism.SCRAM_SHA_256.wireName();

    public CredentialCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException {
        Mechanism wanted = Mechanism.find(mechanism)
                .filter(known -> known != Mechanism.PLAIN)
                .orElseThrow(() -> CommandException.usage(
                        "--mechanism: there are no credentials for \"" + mechanism + "\"",
                        "use SCRAM-SHA-256 or SCRAM-SHA-512"));
        if (name.isEmpty() || name.startsWith("#") || name.indexOf(':') >= 0 || name.indexOf('\n') >= 0) {
            throw CommandException.usage(
                    "\"" + name + "\" is not a valid name of a user", "a name has no colon and does not begin with #");
        }
        String password = password();
        if (password.isEmpty()) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "no password was entered",
                    "type one, or: echo PASSWORD | muster credential " + name);
        }
        root.session().print(name + ":" + Users.credential(wanted, password).text() + "\n");
        return ExitCode.DONE.code();
    }

    /** Reads the password from the terminal without echo, or the first line of stdin. */
    private String password() throws IOException {
        Console console = root.mayAsk() ? System.console() : null;
        if (console != null) {
            char[] typed = console.readPassword("password of %s: ", name);
            return typed == null ? "" : new String(typed);
        }
        String line = new BufferedReader(new InputStreamReader(root.session().in(), StandardCharsets.UTF_8)).readLine();
        return line == null ? "" : line;
    }
}
