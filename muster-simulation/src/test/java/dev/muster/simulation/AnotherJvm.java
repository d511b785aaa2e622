package dev.muster.simulation;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Runs seeds in another process, in reverse order and with other identity hashes. A trace that depends on these, or on
 * earlier runs, has another hash there.
 */
final class AnotherJvm implements AutoCloseable {
    private static final Logger MUSTER = Logger.getLogger("dev.muster");

    private final Process process;

    private AnotherJvm(Process process) {
        this.process = process;
    }

    static AnotherJvm start(long first, long last) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Djdk.trackAllThreads=false",
                "-XX:+UseSerialGC",
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:hashCode=3",
                "-cp",
                System.getProperty("java.class.path"),
                AnotherJvm.class.getName(),
                Long.toString(first),
                Long.toString(last)));
        return new AnotherJvm(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** The trace hashes by seed. Waits for the end of the process. */
    Map<Long, Long> hashes() throws IOException {
        Map<Long, Long> hashes = new TreeMap<>();
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ");
                hashes.put(Long.valueOf(words[0]), Long.valueOf(words[1]));
            }
        }
        return hashes;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] args) {
        MUSTER.setLevel(Level.OFF);
        long first = Long.parseLong(args[0]);
        for (long seed = Long.parseLong(args[1]); seed >= first; seed--) {
            GroupRun run = new GroupRun(seed, Planted.NOTHING);
            run.run();
            System.out.println(seed + " " + run.simulation().hash());
        }
        // Threads of killed simulated processes would keep the JVM alive.
        System.exit(0);
    }
}
