package dev.muster.cli;

import dev.muster.cli.command.Folders;
import dev.muster.cli.command.Session;
import dev.muster.cli.command.StopSignal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Runs the usual commands once, in one JVM and a folder of its own, so that an AOT cache learns their classes. The
 * launcher calls it after a build. It leaves nothing behind.
 */
final class Rehearsal {
    private static final List<String> COMMANDS = List.of(
            "--version",
            "--help",
            "topic create rehearsal --partitions 2",
            "produce rehearsal",
            "produce rehearsal -o jsonl",
            "consume rehearsal --exit",
            "consume rehearsal --exit -o jsonl",
            "topic list",
            "topic list -o json",
            "topic describe rehearsal",
            "topic describe nowhere",
            "consume rehearsal -g rehearsal --id a --exit",
            "consume rehearsal -g rehearsal --id b --exit -o jsonl",
            "group list",
            "group describe rehearsal",
            "group members rehearsal",
            "group lag rehearsal",
            "group timeline rehearsal",
            "group explain rehearsal rehearsal:0",
            "check");

    private Rehearsal() {}

    public static void main(String[] args) throws IOException {
        Path folder = Files.createTempDirectory("muster-rehearsal");
        try {
            for (String command : COMMANDS) {
                run((command + " --data " + folder.resolve("data")).split(" "));
            }
            serve(folder.resolve("data"));
        } finally {
            Folders.delete(folder);
        }
    }

    /** Runs a server, and stops it as soon as it reports that it is ready. */
    private static void serve(Path data) {
        StopSignal[] stop = new StopSignal[1];
        OutputStream ready = new OutputStream() {
            @Override
            public void write(int b) {
                stop[0].raise();
            }
        };
        Session session = Session.of(InputStream.nullInputStream(), ready, OutputStream.nullOutputStream());
        stop[0] = session.stop();
        int exitCode = Main.run(session, "serve", "--listen", "localhost:0", "--data", data.toString());
        System.err.println("rehearsed serve: " + exitCode);
    }

    /** A command that fails has loaded its classes too. */
    private static void run(String... command) {
        byte[] lines = "one\ntwo\n".getBytes(StandardCharsets.UTF_8);
        OutputStream nowhere = OutputStream.nullOutputStream();
        int exitCode = Main.run(command, new ByteArrayInputStream(lines), nowhere, nowhere);
        System.err.println("rehearsed " + Arrays.asList(command) + ": " + exitCode);
    }
}
