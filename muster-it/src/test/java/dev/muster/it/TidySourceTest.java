package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** Rules about the text of the main sources: their size, their names and the words of their comments. */
class TidySourceTest {
    private static final int FILE_LINES_MAX = 500;
    private static final int METHOD_LINES_MAX = 70;
    private static final int PACKAGE_FILES_MAX = 30;

    private static final Pattern COMMENT = Pattern.compile("/\\*\\*.*?\\*/", Pattern.DOTALL);

    /** The subject of a sentence is a named thing. */
    private static final Pattern UNNAMED =
            Pattern.compile("\\b(who|whoever|whom|somebody|nobody|anybody)\\b", Pattern.CASE_INSENSITIVE);

    private static final SourceTree TREE = SourceTree.find();

    @Test
    void mainFilesAreShort() {
        assertThat(TREE.mainSources()
                        .filter(file -> TREE.lines(file).orElse(List.of()).size() > FILE_LINES_MAX)
                        .map(TREE::name))
                .as("main sources of more than %d lines", FILE_LINES_MAX)
                .isEmpty();
    }

    @Test
    void packagesAreSmall() {
        Map<Path, Long> sizes = TREE.mainSources()
                .filter(file -> !file.endsWith("package-info.java"))
                .collect(Collectors.groupingBy(Path::getParent, TreeMap::new, Collectors.counting()));
        assertThat(sizes.entrySet().stream()
                        .filter(one -> one.getValue() > PACKAGE_FILES_MAX)
                        .map(one -> TREE.name(one.getKey()) + ": " + one.getValue()))
                .as("packages of more than %d files", PACKAGE_FILES_MAX)
                .isEmpty();
    }

    @Test
    void noTypeNameIsUsedTwice() {
        Map<String, List<String>> files = TREE.mainSources()
                .filter(file -> !file.endsWith("package-info.java") && !file.endsWith("module-info.java"))
                .collect(Collectors.groupingBy(
                        file -> file.getFileName().toString(),
                        TreeMap::new,
                        Collectors.mapping(TREE::name, Collectors.toList())));
        assertThat(files.values().stream().filter(same -> same.size() > 1))
                .as("names of two types of main")
                .isEmpty();
    }

    @Test
    void methodsAreShort() throws IOException {
        List<String> found = new ArrayList<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null,
                    files,
                    null,
                    List.of("-proc:none"),
                    null,
                    files.getJavaFileObjectsFromPaths(TREE.mainSources().toList()));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                unit.accept(new LongMethods(unit, positions, found), null);
            }
        }
        assertThat(found).as("methods of more than %d lines", METHOD_LINES_MAX).isEmpty();
    }

    /** Collects the methods of a file that are too long. */
    private static final class LongMethods extends TreeScanner<Void, String> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<String> found;

        LongMethods(CompilationUnitTree unit, SourcePositions positions, List<String> found) {
            this.unit = unit;
            this.positions = positions;
            this.found = found;
        }

        @Override
        public Void visitClass(ClassTree type, String outer) {
            return super.visitClass(type, type.getSimpleName().toString());
        }

        @Override
        public Void visitMethod(MethodTree method, String type) {
            long lines = line(positions.getEndPosition(unit, method)) - line(start(method)) + 1;
            if (method.getBody() != null && lines > METHOD_LINES_MAX) {
                found.add(type + "." + method.getName() + ": " + lines);
            }
            return super.visitMethod(method, type);
        }

        private long start(Tree tree) {
            return positions.getStartPosition(unit, tree);
        }

        private long line(long position) {
            LineMap lines = unit.getLineMap();
            return lines.getLineNumber(position);
        }
    }

    @Test
    void javadocNamesItsSubjects() {
        List<String> found = new ArrayList<>();
        TREE.mainSources().forEach(file -> {
            String text = String.join("\n", TREE.lines(file).orElse(List.of()));
            Matcher comments = COMMENT.matcher(text);
            while (comments.find()) {
                Matcher words = UNNAMED.matcher(comments.group());
                if (words.find()) {
                    long line = 1
                            + text.substring(0, comments.start() + words.start())
                                    .chars()
                                    .filter(c -> c == '\n')
                                    .count();
                    found.add(TREE.name(file) + ":" + line + " " + words.group());
                }
            }
        });
        assertThat(found).as("comments without a named subject").isEmpty();
    }
}
