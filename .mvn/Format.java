import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Checks or applies the layout of every Java file of the tree. The build runs it straight from its source, in a JDK 25
 * of its own, because the formatter reads Java 25 only there while Maven may run on an older JDK.
 *
 * <p>A check that finds something leaves the file {@code target/format-wanted}, which stops the build. Layout that was
 * found good once is remembered by its digest below {@code target/}, so that a build after a small change checks only a
 * few files. After a change of the formatter all files are checked, since its version is part of the digest.
 */
final class Format {
    private static final Formatter FORMATTER = Formatter.createFormatter(JavaFormatterOptions.builder()
            .style(JavaFormatterOptions.Style.PALANTIR)
            .formatJavadoc(true)
            .build());

    private final Path root;
    private final String version;

    private Format(Path root, String version) {
        this.root = root;
        this.version = version;
    }

    /** Arguments: {@code check} or {@code apply}, the root of the tree, the version of the formatter. */
    public static void main(String... args) throws IOException {
        new Format(Path.of(args[1]), args[2]).run(args[0].equals("apply"));
    }

    private void run(boolean apply) throws IOException {
        Path target = root.resolve("target");
        Path checked = target.resolve("format-checked");
        Path verdict = target.resolve("format-wanted");
        Set<String> known = Files.exists(checked) ? Set.copyOf(Files.readAllLines(checked)) : Set.of();
        Set<String> good = ConcurrentHashMap.newKeySet();
        Map<Path, String> wanted = new ConcurrentHashMap<>();
        sources().parallelStream().forEach(file -> {
            String text = read(file);
            String digest = digest(text);
            String formatted = known.contains(digest) ? text : formatted(file, text);
            if (formatted.equals(text)) {
                good.add(digest);
            } else {
                wanted.put(file, formatted);
            }
        });
        for (var change : new TreeMap<>(wanted).entrySet()) {
            System.err.println((apply ? "formatted " : "not formatted: ") + root.relativize(change.getKey()));
            if (apply) {
                Files.writeString(change.getKey(), change.getValue());
                good.add(digest(change.getValue()));
            }
        }
        Files.createDirectories(target);
        Files.write(checked, good);
        Files.deleteIfExists(verdict);
        if (!wanted.isEmpty() && !apply) {
            Files.writeString(verdict, "");
        }
    }

    private List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !inTarget(root.relativize(file)))
                    .toList();
        }
    }

    private static boolean inTarget(Path relative) {
        for (Path name : relative) {
            if (name.toString().equals("target")) {
                return true;
            }
        }
        return false;
    }

    private static String formatted(Path file, String text) {
        try {
            return FORMATTER.formatSourceAndFixImports(text);
        } catch (FormatterException e) {
            throw new IllegalStateException(file + " cannot be formatted: " + e.getMessage(), e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String digest(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(version.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
