package dev.muster.cli.serve;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.ReadPermission;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Session;
import dev.muster.cli.text.OutputFormat;
import dev.muster.core.Counts;
import dev.muster.core.json.JsonWriter;
import dev.muster.kafka.KafkaServer;
import dev.muster.kafka.config.HostAndPort;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.kafka.sasl.Mechanism;
import dev.muster.store.file.FileStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster serve}. */
@Command(
        name = "serve",
        description = {
            "A Kafka broker on a data directory: unmodified Kafka clients produce and consume.",
            "Other commands, and programs with the library, may use the directory beside it."
        },
        footer = {
            "",
            "Examples:",
            "  muster serve",
            "  muster serve --listen 0.0.0.0:9092 --advertise queue.example.org:9092",
            "  muster serve --set num.partitions=6 --set muster.sync=interval",
            "  muster serve --set sasl.enabled.mechanisms=SCRAM-SHA-256 --set muster.sasl.users.file=users"
        })
@Formats({OutputFormat.JSON, OutputFormat.JSONL})
public final class ServeCommand implements Callable<Integer> {
    private static final String HOST = "localhost";
    private static final int PORT = 9092;

    private final RootCommand root;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Where to listen (default: " + HOST + ":" + PORT + "); port 0: any that is free.")
    private String listen = HOST + ":" + PORT;

    @Option(
            names = "--advertise",
            paramLabel = "HOST:PORT",
            description = "The address that clients connect to (default: the one of --listen).")
    private String advertise;

    @Option(names = "--pid-file", paramLabel = "FILE", description = "Write the process id to this file when ready.")
    private Path pidFile;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "A setting, spelled as Kafka does (num.partitions, …); may be repeated.")
    private List<String> settings = List.of();

    @Option(names = "--config", paramLabel = "FILE", description = "A file of settings, a line key=value each.")
    private Path config;

    public ServeCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        root.requireWriting("muster serve");
        ServerConfig serverConfig = ServeSettings.read(config, settings);
        HostAndPort where = RootCommand.argument("--listen", listen, text -> HostAndPort.parse(text, HOST, PORT));
        Optional<HostAndPort> told = Optional.ofNullable(
                RootCommand.argument("--advertise", advertise, text -> HostAndPort.parse(text, HOST, where.port())));
        Session session = root.session();
        session.stop().allow(Duration.ofSeconds(10));
        ReadPermission.check(root.data());
        try (FileStore store = FileStore.open(root.data(), root.storeOptions());
                KafkaServer server = KafkaServer.open(store, serverConfig, where, told)) {
            if (serverConfig.diskMinFree() >= 0) {
                store.keepFree(serverConfig.diskMinFree());
            }
            if (pidFile != null) {
                Files.writeString(pidFile, ProcessHandle.current().pid() + "\n");
            }
            sayReady(server, told.isPresent());
            warnOfStrangers(server, serverConfig);
            session.stop().await(Long.MAX_VALUE);
            root.note(stopping(server.connections()));
        } finally {
            if (pidFile != null) {
                Files.deleteIfExists(pidFile);
            }
        }
        return ExitCode.DONE.code();
    }

    private static String stopping(int connections) {
        return "stopping: " + Counts.of(connections, "connection") + (connections == 1 ? " is" : " are") + " closed";
    }

    private void sayReady(KafkaServer server, boolean told) {
        long readyMs = ProcessAge.millis();
        if (root.outputGiven()) {
            root.session()
                    .print(new JsonWriter()
                                    .object()
                                    .field("listens", server.listens().toString())
                                    .field("advertised", server.advertised().toString())
                                    .field("data", root.data().toString())
                                    .field("pid", ProcessHandle.current().pid())
                                    .field("readyMs", readyMs)
                                    .end()
                            + "\n");
        } else {
            root.session()
                    .print("ready: Kafka clients find " + root.data() + " at " + server.advertised() + " (after "
                            + readyMs + " ms)\n");
        }
        if (server.listens().isAnyAddress() && !told) {
            root.note("clients will connect to " + server.advertised()
                    + ", which works on this machine only: name an address that others can reach with --advertise"
                    + " HOST:PORT");
        }
    }

    private void warnOfStrangers(KafkaServer server, ServerConfig serverConfig) {
        if (server.listens().isLoopback()) {
            return;
        }
        if (!serverConfig.sasl().isOn()) {
            root.note("warning: every client that reaches " + server.listens()
                    + " can read, write and delete everything; to ask"
                    + " for passwords see: muster serve --help (sasl.enabled.mechanisms)");
        } else if (serverConfig.sasl().mechanisms().contains(Mechanism.PLAIN)) {
            root.note(
                    "warning: with PLAIN passwords cross the network in plain text; SCRAM-SHA-256 does not send them");
        }
    }
}
