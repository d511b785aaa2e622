package dev.muster.store.file.group;

import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.disk.DiskFile;
import dev.muster.store.group.GroupJournal.View;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The files of a group that are for people: replaced by rename, so that a reader never sees half of one, and never
 * synced. Losing one loses nothing, so nothing here fails its caller.
 */
final class GroupViews {
    private static final System.Logger LOG = System.getLogger(GroupViews.class.getName());
    private static final long APPENDED_BYTES_MAX = 16 << 20;

    private final Disk disk;
    private final Path folder;
    private final Path drafts;
    private final String draftPrefix;
    private final AtomicLong drafted = new AtomicLong();

    /** @param draftPrefix no other process uses it */
    GroupViews(Disk disk, Path folder, Path drafts, String draftPrefix) {
        this.disk = disk;
        this.folder = folder;
        this.drafts = drafts;
        this.draftPrefix = draftPrefix;
    }

    void write(View view) {
        try {
            Path file = file(view.path());
            if (view.text() == null) {
                disk.delete(file);
            } else if (view.appended()) {
                append(file, view.text());
            } else {
                replace(file, view.text());
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot write the view {0} in {1}: {2}", view.path(), folder, e);
        }
    }

    /** The views in one of the group's folders, and below; those that cannot be read are left out. */
    List<View> read(String below) {
        List<View> found = new ArrayList<>();
        read(file(below), below, found);
        return found;
    }

    private void read(Path place, String path, List<View> found) {
        try {
            List<String> names = disk.list(place).stream().sorted().toList();
            for (String name : names) {
                read(place.resolve(name), path + "/" + name, found);
            }
            if (names.isEmpty()) {
                found.add(new View(path, new String(disk.readAll(place), StandardCharsets.UTF_8)));
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot read the view {0} in {1}: {2}", path, folder, e);
        }
    }

    /** The place of a view. What would leave the folder, or touch what is no view, is refused. */
    private Path file(String path) {
        Path file = folder;
        for (String part : path.split("/", -1)) {
            boolean odd = part.isEmpty() || part.startsWith(".") || part.indexOf('\0') >= 0 || part.indexOf('\\') >= 0;
            if (odd) {
                throw new IllegalArgumentException("not a view: " + path);
            }
            file = file.resolve(part);
        }
        if (path.equals(GroupFile.FILE) || path.startsWith(GroupFile.JOURNAL)) {
            throw new IllegalArgumentException("not a view but the truth: " + path);
        }
        return file;
    }

    private void replace(Path file, String text) throws IOException {
        Path draft = drafts.resolve(draftPrefix + "." + drafted.incrementAndGet() + ".view");
        try {
            try (DiskFile writing = disk.openForAppend(draft)) {
                append(writing, text);
            }
            inFolder(file, () -> disk.rename(draft, file));
        } catch (IOException | RuntimeException e) {
            disk.delete(draft);
            throw e;
        }
    }

    private void append(Path file, String text) throws IOException {
        long[] end = new long[1];
        inFolder(file, () -> {
            try (DiskFile writing = disk.openForAppend(file)) {
                end[0] = append(writing, text);
            }
        });
        if (end[0] > APPENDED_BYTES_MAX) {
            disk.rename(file, file.resolveSibling(file.getFileName() + ".old"));
        }
    }

    private static long append(DiskFile file, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return file.append(bytes, 0, bytes.length);
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Folders are made when they are missed. */
    private void inFolder(Path file, Step step) throws IOException {
        try {
            step.run();
        } catch (NoSuchFileException e) {
            if (!disk.exists(folder.resolve(GroupFile.FILE))) {
                throw e;
            }
            disk.createFolders(file.getParent());
            step.run();
        }
    }
}
