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
 * Runs seeds in a process of its own, the last one first, and with other identity hashes: an order that depends on
 * those, or on what was run before, gives another hash there.
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

    /** What its runs did, by seed. Waits for its end. */
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
        // Threads of simulated processes that were killed are nobody's any more.
        System.exit(0);
    }
}
