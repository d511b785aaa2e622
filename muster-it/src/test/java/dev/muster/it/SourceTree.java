package dev.muster.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The text files of the project, below the folder with {@code .mvn}, without generated files. */
final class SourceTree {
    private static final Set<String> MADE_BY_TOOLS =
            Set.of("target", ".git", ".muster", "muster-data", ".idea", ".vscode", ".settings");

    private final Path root;
    private final List<Path> files;

    private SourceTree(Path root, List<Path> files) {
        this.root = root;
        this.files = files;
    }

    static SourceTree find() {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(root.resolve(".mvn"))) {
            root = root.getParent();
            if (root == null) {
                throw new IllegalStateException(
                        "not started inside the source tree: " + Path.of("").toAbsolutePath());
            }
        }
        return new SourceTree(root, walk(root));
    }

    private static List<Path> walk(Path root) {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    boolean made =
                            MADE_BY_TOOLS.contains(directory.getFileName().toString());
                    return made ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    // In a worktree .git is a file, and names a folder of this machine.
                    if (attributes.isRegularFile() && !file.endsWith(".git")) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    Path root() {
        return root;
    }

    Stream<Path> files() {
        return files.stream();
    }

    Stream<Path> files(String suffix) {
        return files().filter(file -> file.toString().endsWith(suffix));
    }

    Stream<Path> mainSources() {
        return files(".java").filter(file -> name(file).contains("/src/main/java/"));
    }

    Stream<Path> testSources() {
        return files(".java").filter(file -> name(file).contains("/src/test/java/"));
    }

    /** The path of the file in the project. */
    String name(Path file) {
        return root.relativize(file).toString();
    }

    /** The lines that match, as {@code file:line: text}. */
    List<String> linesThat(Stream<Path> among, Predicate<String> fit) {
        List<String> found = new ArrayList<>();
        among.forEach(file -> {
            List<String> lines = lines(file).orElse(List.of());
            for (int i = 0; i < lines.size(); i++) {
                if (fit.test(lines.get(i))) {
                    found.add(name(file) + ":" + (i + 1) + ": " + lines.get(i).strip());
                }
            }
        });
        return found;
    }

    /** Empty for a file that is not text. */
    Optional<List<String>> lines(Path file) {
        try {
            return Optional.of(Files.readAllLines(file));
        } catch (MalformedInputException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
