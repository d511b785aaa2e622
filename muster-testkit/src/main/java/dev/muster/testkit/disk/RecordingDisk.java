package dev.muster.testkit.disk;

import dev.muster.disk.Bell;
import dev.muster.disk.Bells;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.DiskSpace;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.Machine;
import dev.muster.disk.Page;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
public final class RecordingDisk implements Disk {
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

    private final Disk disk;
    private final Path root;
    private final Map<Pattern, String> replaced = new LinkedHashMap<>();
    private final List<Pattern> hidden = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();

    public RecordingDisk(Disk disk, Path root) {
        this.disk = disk;
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
    public byte[] readAll(Path file) throws IOException {
        return disk.readAll(file);
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
    public boolean isLocked(Path file) throws IOException {
        return disk.isLocked(file);
    }

    @Override
    public Bell bell(Path file) throws IOException {
        Bell bell = disk.bell(file);
        line("bell", file, "");
        return bell;
    }

    @Override
    public Bells bells() throws IOException {
        return disk.bells();
    }

    @Override
    public boolean exists(Path file) {
        return disk.exists(file);
    }

    @Override
    public FileIdentity identity(Path path) throws IOException {
        return disk.identity(path);
    }

    @Override
    public long size(Path file) throws IOException {
        return disk.size(file);
    }

    @Override
    public List<String> list(Path folder) throws IOException {
        return disk.list(folder);
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

    @Override
    public DiskSpace space(Path folder) {
        return disk.space(folder);
    }

    @Override
    public Machine machine() {
        return disk.machine();
    }

    @Override
    public boolean writable(Path folder) {
        return disk.writable(folder);
    }

    @Override
    public Optional<String> objection(Path folder) {
        return disk.objection(folder);
    }

    private final class RecordedFile implements DiskFile {
        private final Path path;
        private final DiskFile file;

        RecordedFile(Path path, DiskFile file) {
            this.path = path;
            this.file = file;
        }

        @Override
        public int read(long position, byte[] into, int offset, int length) throws IOException {
            return file.read(position, into, offset, length);
        }

        @Override
        public long append(byte[] bytes, int offset, int length) throws IOException {
            long end = file.append(bytes, offset, length);
            line("write", path, " " + (end - length) + ".." + end);
            return end;
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public FileIdentity identity() throws IOException {
            return file.identity();
        }

        @Override
        public void sync() throws IOException {
            file.sync();
            line("sync", path, "");
        }

        @Override
        public boolean tryLock() throws IOException {
            return file.tryLock();
        }

        @Override
        public void unlock() throws IOException {
            file.unlock();
        }

        @Override
        public void close() {
            file.close();
        }

        @Override
        public String toString() {
            return file.toString();
        }
    }
}
