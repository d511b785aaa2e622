import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Prepares the jars in {@code dist/lib} for a fast start, and marks them as complete. The build runs it from its
 * source, after the jars were copied.
 *
 * <p>An AOT cache takes no class of a format before Java 6, and picocli is compiled for Java 5: its classes get a newer
 * version number and the stack maps that go with it. Without that a cache saves little of a short command.
 */
final class Distribution {
    private static final int JAVA_6 = 50;
    private static final int JAVA_8 = 52;

    private Distribution() {}

    /** Arguments: the folder {@code dist}, and when the build began. */
    public static void main(String... args) throws IOException {
        Path dist = Path.of(args[0]);
        for (Path jar : jars(dist.resolve("lib"))) {
            if (isOld(jar)) {
                renew(jar);
            }
        }
        // The time is that of the build's beginning: what was changed since may not be in it.
        Path built = dist.resolve("built");
        Files.writeString(built, "");
        Files.setLastModifiedTime(built, FileTime.from(Instant.parse(args[1])));
    }

    private static List<Path> jars(Path lib) throws IOException {
        try (Stream<Path> files = Files.list(lib)) {
            return files.filter(file -> file.toString().endsWith(".jar")).toList();
        }
    }

    private static boolean isOld(Path jar) throws IOException {
        try (JarFile in = new JarFile(jar.toFile())) {
            for (JarEntry entry : Collections.list(in.entries())) {
                if (isClass(entry)) {
                    byte[] head = in.getInputStream(entry).readNBytes(8);
                    return head[7] < JAVA_6;
                }
            }
            return false;
        }
    }

    private static void renew(Path jar) throws IOException {
        Path renewed = jar.resolveSibling(jar.getFileName() + ".new");
        try (JarFile in = new JarFile(jar.toFile());
                URLClassLoader classes =
                        new URLClassLoader(new URL[] {jar.toUri().toURL()});
                JarOutputStream out = new JarOutputStream(Files.newOutputStream(renewed))) {
            ClassFile format = ClassFile.of(
                    ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
                    ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(classes)));
            for (JarEntry entry : Collections.list(in.entries())) {
                byte[] bytes = in.getInputStream(entry).readAllBytes();
                JarEntry copy = new JarEntry(entry.getName());
                copy.setTimeLocal(entry.getTimeLocal());
                out.putNextEntry(copy);
                out.write(isClass(entry) ? renewed(format, bytes) : bytes);
                out.closeEntry();
            }
        }
        Files.move(renewed, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    private static byte[] renewed(ClassFile format, byte[] bytes) {
        ClassModel model = format.parse(bytes);
        if (model.majorVersion() >= JAVA_6) {
            return bytes;
        }
        return format.transformClass(
                model,
                ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
                        .andThen(ClassTransform.endHandler(builder -> builder.withVersion(JAVA_8, 0))));
    }

    private static boolean isClass(JarEntry entry) {
        return entry.getName().endsWith(".class")
                && !entry.getName().endsWith("module-info.class")
                && !entry.getName().startsWith("META-INF/");
    }
}
