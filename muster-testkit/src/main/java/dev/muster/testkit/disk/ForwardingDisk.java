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
import java.util.List;
import java.util.Optional;

/**
 * Forwards each call to another disk. A subclass changes single calls.
 *
 * <p>Methods of {@link Disk} that are made of its other methods are not forwarded: a subclass sees the calls inside.
 */
abstract class ForwardingDisk implements Disk {
    final Disk disk;

    ForwardingDisk(Disk disk) {
        this.disk = disk;
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return disk.open(file);
    }

    @Override
    public DiskFile openForAppend(Path file) throws IOException {
        return disk.openForAppend(file);
    }

    @Override
    public byte[] readAll(Path file) throws IOException {
        return disk.readAll(file);
    }

    @Override
    public Page page(Path file, byte[] initial) throws IOException {
        return disk.page(file, initial);
    }

    @Override
    public boolean isLocked(Path file) throws IOException {
        return disk.isLocked(file);
    }

    @Override
    public Bell bell(Path file) throws IOException {
        return disk.bell(file);
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
        disk.createFolders(folder);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        disk.link(existing, name);
    }

    @Override
    public void delete(Path file) throws IOException {
        disk.delete(file);
    }

    @Override
    public void syncFolder(Path folder) throws IOException {
        disk.syncFolder(folder);
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
}
