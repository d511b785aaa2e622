package dev.muster.testkit.disk;

import dev.muster.disk.Bell;
import dev.muster.disk.Bells;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.DiskSpace;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.Machine;
import dev.muster.disk.NoRoomException;
import dev.muster.disk.Page;
import dev.muster.disk.PageStamp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A {@link MemoryDisk} as one process sees it. {@link Life} knows whether the process is alive and what it has open.
 */
public final class SimulatedProcess implements Disk {
    private final MemoryDisk disk;
    private final FileTree tree;
    private final Life life;
    private final int cutsBefore;
    private final Machine machine;

    SimulatedProcess(MemoryDisk disk, int cutsBefore, Machine machine) {
        this.disk = disk;
        this.machine = machine;
        this.cutsBefore = cutsBefore;
        this.tree = disk.tree;
        this.life = new Life(disk);
    }

    /**
     * Kills the process, as SIGKILL does: its locks are freed and its calls fail. A write in progress stays incomplete.
     */
    public void kill() {
        life.end("the process was killed");
    }

    public boolean isAlive() {
        return life.goesOn();
    }

    /** Kills the process in its next write, when this many bytes of the write are in the file. */
    public void killInNextAppend(int bytesWritten) {
        life.endInNextAppend(bytesWritten);
    }

    /** Cancels {@link #killInNextAppend}. */
    public void spare() {
        life.spare();
    }

    /** Starts another process in the same boot. Fails if the power has been cut since this one was started. */
    public SimulatedProcess restart() throws IOException {
        return disk.process(cutsBefore);
    }

    /** Makes the disk read-only for this process. */
    public void makeReadOnly() {
        life.makeReadOnly();
    }

    /** The number of files that this process has open. A mapped page needs no open file and does not count. */
    public int openFiles() {
        return life.openFiles();
    }

    void die(String cause) {
        life.end(cause);
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return life.call(() -> life.opened(new MemoryFile(life, file, tree.file(file), false)));
    }

    @Override
    public DiskFile openForAppend(Path file) throws IOException {
        return life.change(() -> {
            if (tree.find(file) == null) {
                tree.put(tree.place(file), new FileNode());
            }
            return life.opened(new MemoryFile(life, file, tree.file(file), true));
        });
    }

    @Override
    public byte[] readAll(Path file) throws IOException {
        return life.call(() -> {
            FileNode node = tree.file(file);
            return Arrays.copyOf(node.bytes, node.size);
        });
    }

    @Override
    public Page page(Path file, byte[] initial) throws IOException {
        return life.call(() -> {
            if (tree.find(file) == null && initial != null) {
                life.change(() -> createPage(file, initial));
            }
            FileNode node = tree.file(file);
            if (node.changed == null) {
                node.changed = disk.lock.newCondition();
            }
            return life.opened(new MemoryPage(life, node));
        });
    }

    private Void createPage(Path file, byte[] initial) throws IOException {
        if (disk.room(initial.length) < initial.length) {
            throw new NoRoomException("no room for " + file);
        }
        FileNode node = new FileNode();
        node.append(PageStamp.stamped(initial, node.identity()), 0, initial.length);
        tree.put(tree.place(file), node);
        return null;
    }

    @Override
    public boolean isLocked(Path file) throws IOException {
        return life.call(() -> tree.file(file).lockedBy != null);
    }

    @Override
    public Bell bell(Path file) throws IOException {
        return life.change(() -> {
            if (tree.find(file) != null) {
                throw new FileAlreadyExistsException(file.toString());
            }
            FileNode node = new FileNode();
            tree.put(tree.place(file), node);
            return life.opened(new MemoryBell(life, node));
        });
    }

    @Override
    public Bells bells() throws IOException {
        return life.call(() -> life.opened(new MemoryBells(life)));
    }

    @Override
    public boolean exists(Path file) {
        try {
            return life.call(() -> tree.find(file) != null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public FileIdentity identity(Path path) throws IOException {
        return life.call(() -> {
            Node node = tree.find(path);
            if (node == null) {
                throw new NoSuchFileException(path.toString());
            }
            return node.identity();
        });
    }

    @Override
    public long size(Path file) throws IOException {
        return life.call(() -> (long) tree.file(file).size);
    }

    @Override
    public List<String> list(Path folder) throws IOException {
        return life.call(() -> switch (tree.find(folder)) {
            case null -> List.of();
            case FolderNode node -> new ArrayList<>(node.names.keySet());
            case FileNode _ -> List.of();
        });
    }

    @Override
    public void createFolders(Path folder) throws IOException {
        life.change(() -> {
            FolderNode at = tree.root();
            for (Path part : folder.toAbsolutePath().normalize()) {
                String name = part.toString();
                if (!at.names.containsKey(name)) {
                    tree.put(new NameChange.Place(at, name), new FolderNode());
                }
                if (!(at.names.get(name) instanceof FolderNode next)) {
                    throw new FileAlreadyExistsException(folder.toString());
                }
                at = next;
            }
            return null;
        });
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        life.change(() -> {
            Node node = tree.find(from);
            Node replaced = tree.find(to);
            if (node == null) {
                throw new NoSuchFileException(from.toString());
            }
            if (replaced instanceof FolderNode folder && !folder.names.isEmpty()) {
                throw new DirectoryNotEmptyException(to.toString());
            }
            if (replaced != null && replaced instanceof FolderNode != node instanceof FolderNode) {
                throw new IOException("a file cannot replace a folder, nor a folder a file: " + to);
            }
            if (replaced != node) { // two names of one file: POSIX demands that nothing happens
                tree.move(tree.place(from), tree.place(to), node);
            }
            return null;
        });
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        life.change(() -> {
            FileNode node = tree.file(existing);
            if (tree.find(name) != null) {
                throw new FileAlreadyExistsException(name.toString());
            }
            tree.put(tree.place(name), node);
            return null;
        });
    }

    @Override
    public void delete(Path file) throws IOException {
        life.change(() -> {
            Node node = tree.find(file);
            if (node instanceof FolderNode folder && !folder.names.isEmpty()) {
                throw new DirectoryNotEmptyException(file.toString());
            }
            if (node != null) {
                tree.remove(tree.place(file));
            }
            return null;
        });
    }

    @Override
    public void syncFolder(Path folder) throws IOException {
        life.call(() -> {
            tree.sync(tree.folder(folder));
            return null;
        });
    }

    @Override
    public DiskSpace space(Path folder) {
        return disk.space();
    }

    @Override
    public Machine machine() {
        return machine;
    }

    @Override
    public boolean writable(Path folder) {
        return !life.isReadOnly();
    }
}
