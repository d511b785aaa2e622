package dev.muster.store.file.group;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.store.group.GroupJournal.View;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * The files of a group for people. A file is replaced by rename, so that a reader never sees half of it, and is never
 * synced. A lost file is no loss of data, so no failure here fails the caller.
 */
final class ViewFiles {
    private static final System.Logger LOG = System.getLogger(ViewFiles.class.getName());
    private static final long APPENDED_BYTES_MAX = 16 << 20;
    private static final int TAIL_BYTES = 64 << 10;
    /**
     * The number of attempts to add lines. An attempt fails if another process was faster, or if it had to repair the
     * end of the file.
     */
    private static final int ATTEMPTS = 4;

    private final Disk disk;
    private final Path folder;
    private final Path drafts;
    private final String draftPrefix;
    private final AtomicLong drafted = new AtomicLong();

    /** @param draftPrefix the prefix of drafts, which no other process uses */
    ViewFiles(Disk disk, Path folder, Path drafts, String draftPrefix) {
        this.disk = disk;
        this.folder = folder;
        this.drafts = drafts;
        this.draftPrefix = draftPrefix;
    }

    /**
     * Writes a view unless there is a newer one.
     *
     * @param end the version of the journal's next line: a file that shows this version or a higher one was not written
     *     by this group
     */
    void write(View view, long end) {
        try {
            Path file = file(view.path());
            if (showsNewer(file, view.version(), end)) {
                return;
            }
            if (view.text() == null) {
                disk.delete(file);
            } else {
                replace(file, view.text());
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot write the view {0} in {1}: {2}", view.path(), folder, e);
        }
    }

    /** The views in one of the group's folders, and below. Views that cannot be read are left out. */
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

    /**
     * The file of a view.
     *
     * @throws IllegalArgumentException if the path leads out of the folder, or to a file that is no view
     */
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

    /**
     * True if the file shows a newer version. A process that was stopped before it wrote must not replace a view that
     * another process wrote meanwhile.
     */
    private boolean showsNewer(Path file, long version, long end) throws IOException {
        if (version == View.ANY) {
            return false;
        }
        try {
            OptionalLong shown = View.shown(new String(disk.readAll(file), StandardCharsets.UTF_8));
            return shown.isPresent() && shown.getAsLong() > version && shown.getAsLong() < end;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Adds lines to a file that several processes add to, see {@link dev.muster.store.group.GroupViews#extend}. The
     * lock on the file keeps their order; the kernel frees it when a process dies.
     */
    boolean extend(String path, UnaryOperator<String> more) {
        try {
            Path file = file(path);
            boolean[] done = {false};
            inFolder(file, () -> {
                Extended outcome = Extended.AGAIN;
                for (int i = 0; i < ATTEMPTS && outcome == Extended.AGAIN; i++) {
                    outcome = extendOnce(file, more);
                }
                done[0] = outcome == Extended.DONE;
            });
            return done[0];
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot write the view {0} in {1}: {2}", path, folder, e);
            // The missing lines are added with the next ones.
            return true;
        }
    }

    private enum Extended {
        DONE,
        BUSY,
        AGAIN
    }

    private Extended extendOnce(Path file, UnaryOperator<String> more) throws IOException {
        try (DiskFile writing = disk.openForAppend(file)) {
            if (!writing.tryLock()) {
                return Extended.BUSY;
            }
            if (!isStill(file, writing)) {
                return Extended.AGAIN;
            }
            long size = writing.size();
            String tail = tail(writing, size);
            if (!tail.isEmpty() && !tail.endsWith("\n")) {
                // Its writer died in the middle of a line.
                replace(file, wholeLines(file));
                return Extended.AGAIN;
            }
            String lines = more.apply(wholeLines(tail, size > TAIL_BYTES, size == 0 ? old(file) : ""));
            if (!lines.isEmpty() && append(writing, lines) > APPENDED_BYTES_MAX) {
                disk.rename(file, oldFile(file));
            }
            return Extended.DONE;
        }
    }

    /** False if the file was renamed or replaced between opening it and locking it. */
    private boolean isStill(Path file, DiskFile open) throws IOException {
        try {
            return open.identity().equals(disk.identity(file));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static Path oldFile(Path file) {
        return file.resolveSibling(file.getFileName() + ".old");
    }

    private String old(Path file) throws IOException {
        try (DiskFile old = disk.open(oldFile(file))) {
            long size = old.size();
            return wholeLines(tail(old, size), size > TAIL_BYTES, "");
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    private static String tail(DiskFile file, long size) throws IOException {
        long from = Math.max(0, size - TAIL_BYTES);
        byte[] bytes = new byte[(int) (size - from)];
        int read = file.read(from, bytes, 0, bytes.length);
        return new String(bytes, 0, read, StandardCharsets.UTF_8);
    }

    /** @param cut true if the first line may lack its beginning */
    private static String wholeLines(String tail, boolean cut, String otherwise) {
        if (tail.isEmpty()) {
            return otherwise;
        }
        return cut ? tail.substring(tail.indexOf('\n') + 1) : tail;
    }

    private String wholeLines(Path file) throws IOException {
        String text = new String(disk.readAll(file), StandardCharsets.UTF_8);
        return text.substring(0, text.lastIndexOf('\n') + 1);
    }

    private static long append(DiskFile file, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return file.append(bytes, 0, bytes.length);
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Runs the step. If a folder is missing, it is created and the step runs again. */
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
