package dev.muster.it.trouble;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Damages files of a directory in use: deletes, truncates, empties, flips, replaces and chmods them. The file and the
 * act follow from a seed and from the existing files.
 */
final class Vandal {
    enum Act {
        DELETE,
        TRUNCATE,
        EMPTY,
        FLIP,
        REPLACE_BY_OLDER,
        REPLACE_BY_GARBAGE,
        CHMOD
    }

    /** An act on a file below the directory. */
    record Deed(Act act, Path file) {}

    private final Path root;
    private final Random random;
    private final Predicate<Path> spared;
    /** Earlier contents of files, for {@link Act#REPLACE_BY_OLDER}. */
    private final Map<Path, byte[]> older = new HashMap<>();

    /** @param spared true for files, relative to the root, that this vandal leaves alone */
    Vandal(Path root, Random random, Predicate<Path> spared) {
        this.root = root;
        this.random = random;
        this.spared = spared;
    }

    /** Performs one act on one file. */
    Deed act() throws IOException {
        while (true) {
            Path file = choose();
            Act act = Act.values()[random.nextInt(Act.values().length)];
            try {
                if (apply(act, file)) {
                    return new Deed(act, root.relativize(file));
                }
            } catch (NoSuchFileException | AccessDeniedException e) {
                // A running process removed the file first, or an earlier act removed the write permission: try another
                // file.
                continue;
            }
        }
    }

    /** Chooses a kind of file first, then one of these files, so that frequent kinds are not hit more often. */
    private Path choose() throws IOException {
        SortedMap<String, List<Path>> kinds = new TreeMap<>();
        for (Path file : files()) {
            String kind = root.relativize(file).toString().replaceAll("[0-9a-f]*[0-9][0-9a-f]*(-[0-9a-f]+)*", "#");
            kinds.computeIfAbsent(kind, _ -> new ArrayList<>()).add(file);
        }
        List<String> names = List.copyOf(kinds.keySet());
        List<Path> files = kinds.get(names.get(random.nextInt(names.size())));
        return files.get(random.nextInt(files.size()));
    }

    private List<Path> files() throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile() && !spared.test(root.relativize(file))) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        found.sort(null);
        return found;
    }

    /** True if the act changed something. */
    private boolean apply(Act act, Path file) throws IOException {
        long size = Files.size(file);
        switch (act) {
            case DELETE -> Files.delete(file);
            case EMPTY -> cut(file, 0);
            case TRUNCATE -> {
                if (size < 2) {
                    return false;
                }
                cut(file, 1 + random.nextLong(size - 1));
            }
            case FLIP -> {
                if (size == 0) {
                    return false;
                }
                flip(file, random.nextLong(size));
            }
            case REPLACE_BY_OLDER -> {
                byte[] old = older.put(file, Files.readAllBytes(file));
                if (old == null) {
                    return false;
                }
                replace(file, old);
            }
            case REPLACE_BY_GARBAGE -> {
                byte[] garbage = new byte[(int) Math.min(size + 1, 10_000)];
                random.nextBytes(garbage);
                replace(file, garbage);
            }
            case CHMOD -> Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
        }
        return true;
    }

    private static void cut(Path file, long size) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
    }

    private void flip(Path file, long at) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var one = java.nio.ByteBuffer.allocate(1);
            if (channel.read(one, at) == 1) {
                one.put(0, (byte) (one.get(0) ^ 1 << random.nextInt(8))).flip();
                channel.write(one, at);
            }
        }
    }

    private static void replace(Path file, byte[] content) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".vandal");
        try {
            Files.write(draft, content);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            // The folder was removed in between.
            Files.deleteIfExists(draft);
            throw e;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
