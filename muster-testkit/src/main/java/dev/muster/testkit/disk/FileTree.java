package dev.muster.testkit.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** The names of a {@link MemoryDisk}, and the changes of names that are not durable yet. Guarded by the disk's lock. */
final class FileTree {
    private final FolderNode root = new FolderNode();
    private final List<NameChange> unsynced = new ArrayList<>();

    FolderNode root() {
        return root;
    }

    /** @return file or folder of that name; null if there is none */
    Node find(Path path) {
        Node node = root;
        for (Path name : absolute(path)) {
            if (!(node instanceof FolderNode folder)) {
                return null;
            }
            node = folder.names.get(name.toString());
        }
        return node;
    }

    FileNode file(Path path) throws IOException {
        return switch (find(path)) {
            case null -> throw new NoSuchFileException(path.toString());
            case FileNode file -> file;
            case FolderNode _ -> throw new IOException("is a folder: " + path);
        };
    }

    FolderNode folder(Path path) throws IOException {
        return switch (find(path)) {
            case null -> throw new NoSuchFileException(path.toString());
            case FolderNode folder -> folder;
            case FileNode _ -> throw new NotDirectoryException(path.toString());
        };
    }

    NameChange.Place place(Path path) throws IOException {
        Path absolute = absolute(path);
        return new NameChange.Place(
                folder(absolute.getParent()), absolute.getFileName().toString());
    }

    void put(NameChange.Place place, Node node) {
        change(new NameChange(null, place, node));
    }

    void remove(NameChange.Place place) {
        change(new NameChange(place, null, null));
    }

    void move(NameChange.Place from, NameChange.Place to, Node node) {
        change(new NameChange(from, to, node));
    }

    private void change(NameChange change) {
        change.apply();
        unsynced.add(change);
    }

    void sync(FolderNode folder) {
        List<NameChange> durable = new ArrayList<>();
        for (NameChange change : unsynced.reversed()) {
            // A rename to another folder makes earlier changes of its two names durable as well.
            // Otherwise a power cut could bring such a name back.
            if (change.isIn(folder) || durable.stream().anyMatch(change::sharesAPlaceWith)) {
                durable.addFirst(change);
            }
        }
        durable.forEach(NameChange::makeDurable);
        Set<NameChange> done = Collections.newSetFromMap(new IdentityHashMap<>());
        done.addAll(durable);
        unsynced.removeIf(done::contains);
    }

    void powerCut(Random random, Tear tear) {
        keepSomeNames(random);
        mount(root, Collections.newSetFromMap(new IdentityHashMap<>()), random, tear);
    }

    private void keepSomeNames(Random random) {
        int kind = random.nextInt(4);
        int prefix = kind == 0 ? 0 : kind == 1 ? unsynced.size() : random.nextInt(unsynced.size() + 1);
        List<NameChange> lost = new ArrayList<>();
        for (int i = 0; i < unsynced.size(); i++) {
            NameChange change = unsynced.get(i);
            // A rename cannot be durable if the old name never was: a folder has only one name.
            boolean possible = lost.stream().noneMatch(change::movesFromWhereItWasPutBy);
            if (possible && (kind == 3 ? random.nextBoolean() : i < prefix)) {
                change.makeDurable();
            } else {
                lost.add(change);
            }
        }
        unsynced.clear();
    }

    private static void mount(Node node, Set<Node> mounted, Random random, Tear tear) {
        if (!mounted.add(node)) {
            return;
        }
        switch (node) {
            case FileNode file -> file.powerCut(random, tear);
            case FolderNode folder -> {
                folder.forgetUnsynced();
                folder.names.values().forEach(below -> mount(below, mounted, random, tear));
            }
        }
    }

    long used() {
        return used(root, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    private static long used(Node node, Set<Node> seen) {
        if (!seen.add(node)) {
            return 0;
        }
        return switch (node) {
            case FileNode file -> file.size;
            case FolderNode folder ->
                folder.names.values().stream()
                        .mapToLong(below -> used(below, seen))
                        .sum();
        };
    }

    void copyTo(Path target) throws IOException {
        copy(root, target);
    }

    private static void copy(FolderNode folder, Path target) throws IOException {
        Files.createDirectories(target);
        for (Map.Entry<String, Node> entry : folder.names.entrySet()) {
            Path path = target.resolve(entry.getKey());
            switch (entry.getValue()) {
                case FolderNode below -> copy(below, path);
                case FileNode file -> Files.write(path, Arrays.copyOf(file.bytes, file.size));
            }
        }
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }
}
