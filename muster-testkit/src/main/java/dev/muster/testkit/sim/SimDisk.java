package dev.muster.testkit.sim;

import dev.muster.disk.Bell;
import dev.muster.disk.Bells;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.Machine;
import dev.muster.disk.Page;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The disk as a simulated process sees it. At each call the turn may pass to another process, or a fault may happen.
 */
final class SimDisk implements Disk {
    /** The weight of a call that reads, where a read of one word of a page weighs 1. The weight is time and risk. */
    static final int CALL = 10;

    /** The weight before and after a call that changes something. */
    static final int CHANGE = 30;

    /** The weight of places where faults shall be most likely: with a lock held, and before and after a write. */
    static final int HOLDING = 200;

    private final SimProcess process;
    private final Disk disk;

    SimDisk(SimProcess process, Disk disk) {
        this.process = process;
        this.disk = disk;
    }

    private interface Call<T> {
        T make() throws IOException;
    }

    private <T> T call(Call<T> call) throws IOException {
        process.point(CALL);
        return call.make();
    }

    private <T> T change(Call<T> call) throws IOException {
        process.point(CHANGE);
        T result = call.make();
        process.point(CHANGE);
        return result;
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return call(() -> new SimFile(process, disk.open(file)));
    }

    @Override
    public DiskFile openForAppend(Path file) throws IOException {
        return change(() -> new SimFile(process, disk.openForAppend(file)));
    }

    @Override
    public byte[] readAll(Path file) throws IOException {
        return call(() -> disk.readAll(file));
    }

    @Override
    public Page page(Path file, byte[] initial) throws IOException {
        return change(() -> new SimPage(process, file, disk.page(file, initial)));
    }

    @Override
    public boolean isLocked(Path file) throws IOException {
        return call(() -> disk.isLocked(file));
    }

    @Override
    public Bell bell(Path file) throws IOException {
        Bell bell = change(() -> disk.bell(file));
        return () -> {
            bell.close();
            SimBells.ring(process.simulation());
        };
    }

    @Override
    public Bells bells() throws IOException {
        return call(() -> new SimBells(process, disk.bells()));
    }

    @Override
    public boolean exists(Path file) {
        process.point(CALL);
        return disk.exists(file);
    }

    @Override
    public FileIdentity identity(Path path) throws IOException {
        return call(() -> disk.identity(path));
    }

    @Override
    public long size(Path file) throws IOException {
        return call(() -> disk.size(file));
    }

    @Override
    public List<String> list(Path folder) throws IOException {
        return call(() -> disk.list(folder));
    }

    @Override
    public void createFolders(Path folder) throws IOException {
        change(() -> {
            disk.createFolders(folder);
            return null;
        });
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        change(() -> {
            disk.rename(from, to);
            return null;
        });
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        change(() -> {
            disk.link(existing, name);
            return null;
        });
    }

    @Override
    public void delete(Path file) throws IOException {
        change(() -> {
            disk.delete(file);
            return null;
        });
    }

    @Override
    public void syncFolder(Path folder) throws IOException {
        change(() -> {
            disk.syncFolder(folder);
            return null;
        });
    }

    @Override
    public boolean writable(Path folder) {
        process.checkAlive();
        return disk.writable(folder);
    }

    @Override
    public Machine machine() {
        return process;
    }
}
