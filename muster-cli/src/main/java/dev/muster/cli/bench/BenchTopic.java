package dev.muster.cli.bench;

import dev.muster.core.SyncLevel;
import dev.muster.embedded.Muster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.UUID;

/** A topic for one measurement: in the directory that was named, or in a temporary one. Gone when closed. */
final class BenchTopic implements AutoCloseable {
    private final Muster muster;
    private final String name;
    /** Null when the user named the directory: then only the topic is ours. */
    private final Path temporary;

    private BenchTopic(Muster muster, String name, Path temporary) {
        this.muster = muster;
        this.name = name;
        this.temporary = temporary;
    }

    /** @param directory null: a temporary one */
    static BenchTopic make(Path directory, SyncLevel sync) {
        Path temporary = directory == null ? temporaryDirectory() : null;
        Muster muster = Muster.open(directory == null ? temporary : directory);
        String name = "muster-bench-" + UUID.randomUUID();
        muster.topics().ensure(name, topic -> topic.partitions(1).sync(sync));
        return new BenchTopic(muster, name, temporary);
    }

    Muster muster() {
        return muster;
    }

    String name() {
        return name;
    }

    @Override
    public void close() {
        try (muster) {
            if (temporary == null) {
                muster.topics().delete(name);
            }
        }
        if (temporary != null) {
            delete(temporary);
        }
    }

    private static Path temporaryDirectory() {
        try {
            return Files.createTempDirectory("muster-bench-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
                    Files.delete(folder);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
