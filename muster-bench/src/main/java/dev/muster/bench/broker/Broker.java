package dev.muster.bench.broker;

import dev.muster.testkit.kafka.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server in a process of its own, and the clients that connect to it. Closing it kills the process. */
public record Broker(ServerProcess process) implements AutoCloseable {
    /**
     * {@code muster serve} on a new directory, not started yet.
     *
     * @param command the command line that starts {@code muster}
     */
    public static Broker muster(List<String> command, Map<String, String> environment, Path folder) throws IOException {
        return new Broker(ServerProcess.of(
                port -> {
                    List<String> words = new ArrayList<>(command);
                    words.addAll(List.of(
                            "serve", "--data", folder.resolve("data").toString(), "--listen", "127.0.0.1:" + port));
                    return words;
                },
                environment,
                folder.resolve("output")));
    }

    public Clients clients() {
        return new Clients("127.0.0.1:" + process.port());
    }

    /** The kernel's figures about the running process. */
    public ProcessStatus status() {
        return new ProcessStatus(process.pid());
    }

    @Override
    public void close() {
        process.close();
    }
}
