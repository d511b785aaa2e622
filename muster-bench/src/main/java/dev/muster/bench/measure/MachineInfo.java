package dev.muster.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The facts about the machine that figures depend on. */
public record MachineInfo(int cores, String processor, String system, String jdk, String fileSystem) {
    public static MachineInfo of(Path directory) throws IOException {
        return new MachineInfo(
                Runtime.getRuntime().availableProcessors(),
                processorModel(),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                System.getProperty("java.vm.vendor") + " " + Runtime.version(),
                Files.getFileStore(directory).type());
    }

    private static String processorModel() throws IOException {
        Path facts = Path.of("/proc/cpuinfo");
        if (!Files.exists(facts)) {
            return "unknown processor";
        }
        try (var lines = Files.lines(facts)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown processor");
        }
    }

    @Override
    public String toString() {
        return cores + " cores (" + processor + "), " + system + ", JDK " + jdk + ", " + fileSystem;
    }
}
