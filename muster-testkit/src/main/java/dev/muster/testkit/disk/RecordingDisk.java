package dev.muster.testkit.disk;

import dev.muster.disk.Bell;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.Page;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Records every change of a disk in order, one line each. Tests compare the lines, because the order is promised.
 *
 * <pre>
 *   append p0 "a" "b"
 *     create p0/00000000000000000000.log
 *     write  p0/00000000000000000000.log 0..118
 *     sync   p0/00000000000000000000.log
 *     sync   p0
 * </pre>
 *
 * Failed calls are left out. Names are relative to a root. Parts of names that differ from run to run are replaced.
 */
public final class RecordingDisk extends ForwardingDisk {
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

    private final Path root;
    private final Map<Pattern, String> replaced = new LinkedHashMap<>();
    private final List<Pattern> hidden = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();

    public RecordingDisk(Disk disk, Path root) {
        super(disk);
        this.root = root;
    }

    /**
     * Shows every match of the pattern as this text. Earlier rules are applied first. UUIDs that no rule replaces are
     * shown as {@code <id>}.
     */
    public RecordingDisk show(Pattern pattern, String as) {
        replaced.put(pattern, as);
        return this;
    }

    /**
     * Leaves out changes of paths, relative to the root, that match. For files that background threads change at any
     * time.
     */
    public RecordingDisk hide(Pattern paths) {
        hidden.add(paths);
        return this;
    }

    /** Adds a line that says what the test does next. */
    public void heading(String text) {
        synchronized (lines) {
            lines.add(text);
        }
    }

    public String transcript() {
        synchronized (lines) {
            return String.join("\n", lines) + "\n";
        }
    }

    private void line(String verb, Path path, String rest) {
        String name = root.relativize(path).toString();
        if (hidden.stream().anyMatch(pattern -> pattern.matcher(name).find())) {
            return;
        }
        String line = "  %-6s %s%s".formatted(verb, shown(path), rest).stripTrailing();
        synchronized (lines) {
            lines.add(line);
        }
    }

    private String shown(Path path) {
        String name = path.equals(root) ? "." : root.relativize(path).toString();
        for (Map.Entry<Pattern, String> rule : replaced.entrySet()) {
            name = rule.getKey().matcher(name).replaceAll(rule.getValue());
        }
        return UUID.matcher(name).replaceAll("<id>");
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new RecordedFile(file, disk.open(file));
    }

    @Override
    public DiskFile openForAppend(Path file) throws IOException {
        boolean isNew = !disk.exists(file);
        DiskFile opened = disk.openForAppend(file);
        if (isNew) {
            line("create", file, "");
        }
        return new RecordedFile(file, opened);
    }

    @Override
    public Page page(Path file, byte[] initial) throws IOException {
        boolean isNew = !disk.exists(file);
        Page page = disk.page(file, initial);
        if (isNew) {
            line("page", file, "");
        }
        return page;
    }

    @Override
    public Bell bell(Path file) throws IOException {
        Bell bell = disk.bell(file);
        line("bell", file, "");
        return bell;
    }

    @Override
    public void createFolders(Path folder) throws IOException {
        boolean isNew = !disk.exists(folder);
        disk.createFolders(folder);
        if (isNew) {
            line("mkdir", folder, "");
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        disk.rename(from, to);
        line("rename", from, " -> " + shown(to));
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        disk.link(existing, name);
        line("link", existing, " -> " + shown(name));
    }

    @Override
    public void delete(Path file) throws IOException {
        boolean wasThere = disk.exists(file);
        disk.delete(file);
        if (wasThere) {
            line("delete", file, "");
        }
    }

    @Override
    public void syncFolder(Path folder) throws IOException {
        disk.syncFolder(folder);
        line("sync", folder, "");
    }

    private final class RecordedFile extends ForwardingFile {
        private final Path path;

        RecordedFile(Path path, DiskFile file) {
            super(file);
            this.path = path;
        }

        @Override
        public long append(byte[] bytes, int offset, int length) throws IOException {
            long end = file.append(bytes, offset, length);
            line("write", path, " " + (end - length) + ".." + end);
            return end;
        }

        @Override
        public void sync() throws IOException {
            file.sync();
            line("sync", path, "");
        }
    }
}
