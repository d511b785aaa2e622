package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: an application that is a module of its own works with the library. Method: the application in
 * {@code examples/embedded-app} is compiled against this build's modules and run in a JVM of its own.
 */
class ModulePathIT {
    private static final Pattern LIBRARY =
            Pattern.compile(".*/muster-(core|store|disk|store-file|engine|embedded)(/target/classes|-[^/]*\\.jar)");

    private static final List<String> COMPRESSIONS = List.of("zstd-jni", "lz4-java", "snappy-java");
    private static final String NATIVE_ACCESS = "--enable-native-access=dev.muster.disk";

    private final Path application = SourceTree.find().root().resolve("examples/embedded-app");

    @TempDir
    private Path folder;

    private String modulePath;

    @BeforeEach
    void collectTheLibrary() {
        List<String> modules =
                classPath().filter(entry -> LIBRARY.matcher(entry).matches()).toList();
        assertThat(modules).as("modules of the library").hasSize(6);
        modulePath = String.join(File.pathSeparator, modules);
    }

    @Test
    void applicationSendsAndConsumesOnTheModulePath() throws Exception {
        compile(sources("src/main/java"));

        List<String> lines = run(NATIVE_ACCESS);

        assertThat(lines)
                .contains("module: module dev.muster.embedded", "compression gzip: works")
                .noneMatch(line -> line.contains("WARNING"));
        assertThat(lines.stream().filter(line -> line.startsWith("got: "))).hasSize(3);
    }

    @Test
    void missingCompressionModuleIsNamed() throws Exception {
        compile(sources("src/main/java"));

        assertThat(run(NATIVE_ACCESS))
                .anyMatch(line -> line.startsWith("compression zstd: zstd compression is not available: its library is"
                                + " neither a module of this program nor on its class path; add the dependency"
                                + " com.github.luben:zstd-jni;")
                        && line.endsWith("--add-modules com.github.luben.zstd_jni"))
                .anyMatch(line -> line.endsWith("--add-modules org.lz4.java"))
                .anyMatch(line -> line.endsWith("--add-modules snappy.java"));
    }

    @Test
    void compressionModulesOfTheApplicationAreUsed() throws Exception {
        compile(sources("src/main/java"));
        modulePath += File.pathSeparator + compressions();

        assertThat(run(
                        NATIVE_ACCESS + ",com.github.luben.zstd_jni,org.lz4.java,snappy.java",
                        "--add-modules",
                        "com.github.luben.zstd_jni,org.lz4.java,snappy.java"))
                .contains("compression zstd: works", "compression lz4: works", "compression snappy: works");
    }

    @Test
    void compressionLibrariesOnTheClassPathAreUsed() throws Exception {
        compile(sources("src/main/java"));

        assertThat(run(NATIVE_ACCESS + ",ALL-UNNAMED", "--class-path", compressions()))
                .contains("compression zstd: works", "compression lz4: works", "compression snappy: works");
    }

    @Test
    void withoutNativeAccessTheModuleToEnableIsNamed() throws Exception {
        compile(sources("src/main/java"));

        assertThat(run("--illegal-native-access=deny"))
                .anyMatch(line -> line.contains("no native access") && line.contains(NATIVE_ACCESS))
                .anyMatch(line -> line.startsWith("got: "));
    }

    @Test
    void internalTypesDoNotCompile() throws Exception {
        List<Path> sources = new ArrayList<>(sources("src/main/java"));
        Path internals = application.resolve("refused/NamesInternals.java");
        sources.add(internals);

        String errors = compileErrors(sources);

        for (String line : Files.readAllLines(internals)) {
            if (line.startsWith("import ")) {
                String named = line.substring("import ".length(), line.lastIndexOf('.'));
                assertThat(errors).contains("package " + named + " is not visible");
            }
        }
    }

    private List<Path> sources(String below) throws IOException {
        try (Stream<Path> files = Files.walk(application.resolve(below))) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    private void compile(List<Path> sources) throws IOException {
        assertThat(compileErrors(sources)).isEmpty();
    }

    private String compileErrors(List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            errors,
                            files,
                            null,
                            List.of("-d", classes().toString(), "--module-path", modulePath, "-proc:none"),
                            null,
                            files.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertThat(compiled)
                    .as(errors.toString())
                    .isEqualTo(errors.toString().isEmpty());
        }
        return errors.toString();
    }

    private Path classes() {
        return folder.resolve("classes");
    }

    /** The lines of the application, and those of its JVM. */
    private List<String> run(String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
        command.addAll(List.of("--module-path", classes() + File.pathSeparator + modulePath));
        command.addAll(List.of(options));
        command.addAll(List.of("--module", "com.example.orders/com.example.orders.OrdersApp"));
        command.add(folder.resolve("data").toString());
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES))
                    .as("the application ends")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(output);
        assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
        return lines;
    }

    private static String compressions() {
        return classPath()
                .filter(entry -> COMPRESSIONS.stream().anyMatch(name -> entry.contains("/" + name + "-")))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Stream<String> classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator));
    }
}
