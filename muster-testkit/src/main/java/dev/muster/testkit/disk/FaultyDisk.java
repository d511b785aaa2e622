package dev.muster.testkit.disk;

import dev.muster.disk.Bell;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.Page;
import dev.muster.testkit.disk.DiskCall.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * A disk that fails where a test wants it, calls hooks before and after each call, and counts calls. Thread-safe.
 *
 * <p>Waiting for bells never fails here. To suppress a ring, let the call that makes the bell fail.
 */
public final class FaultyDisk extends ForwardingDisk {
    private final List<Armed> faults = new CopyOnWriteArrayList<>();
    private final List<Predicate<DiskCall>> ignored = new CopyOnWriteArrayList<>();
    private final List<Hook> before = new CopyOnWriteArrayList<>();
    private final List<Hook> after = new CopyOnWriteArrayList<>();
    private final AtomicLong calls = new AtomicLong();
    private final Map<Kind, AtomicLong> callsByKind = new EnumMap<>(Kind.class);

    /** Code before or after a call, on the caller's thread. The caller gets its exceptions. */
    public interface Hook {
        void at(DiskCall call) throws IOException;
    }

    private record Armed(DiskFault fault, AtomicLong seen, List<DiskCall> fired) {}

    private interface Call<T> {
        T make() throws IOException;
    }

    public FaultyDisk(Disk disk) {
        super(disk);
        for (Kind kind : Kind.values()) {
            callsByKind.put(kind, new AtomicLong());
        }
    }

    /** Makes calls fail from now on, as the fault says. */
    public void arm(DiskFault fault) {
        faults.add(new Armed(fault, new AtomicLong(), new CopyOnWriteArrayList<>()));
    }

    /** The number of calls that failed by the armed faults. */
    public long fired() {
        return fired(_ -> true);
    }

    /** The number of these calls that failed by the armed faults, of all threads. */
    public long fired(Predicate<DiskCall> which) {
        return faults.stream()
                .flatMap(armed -> armed.fired.stream())
                .filter(which)
                .count();
    }

    /** Removes all faults: the disk works again. */
    public void heal() {
        faults.clear();
    }

    /** Makes these calls report success and do nothing, as a lying disk does. For syncs. */
    public void ignore(Predicate<DiskCall> which) {
        ignored.add(which);
    }

    /** Calls the hook before each call. */
    public void before(Hook hook) {
        before.add(hook);
    }

    /** Calls the hook after each call that succeeded. */
    public void after(Hook hook) {
        after.add(hook);
    }

    /** Stops the first of these calls before it does anything, until the gate is released. */
    public CallGate stopBefore(Predicate<DiskCall> where) {
        CallGate gate = new CallGate();
        before(once(where, gate));
        return gate;
    }

    /** Stops the first of these calls after it has done its work and before it returns, until the gate is released. */
    public CallGate stopAfter(Predicate<DiskCall> where) {
        CallGate gate = new CallGate();
        after(once(where, gate));
        return gate;
    }

    private static Hook once(Predicate<DiskCall> where, CallGate gate) {
        AtomicBoolean used = new AtomicBoolean();
        return call -> {
            if (where.test(call) && used.compareAndSet(false, true)) {
                gate.hold();
            }
        };
    }

    public long calls() {
        return calls.get();
    }

    public long calls(Kind kind) {
        return callsByKind.get(kind).get();
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return call(Kind.OPEN, file, () -> new FaultyFile(file, disk.open(file)));
    }

    @Override
    public DiskFile openForAppend(Path file) throws IOException {
        return call(Kind.OPEN_FOR_APPEND, file, () -> new FaultyFile(file, disk.openForAppend(file)));
    }

    @Override
    public byte[] readAll(Path file) throws IOException {
        return call(Kind.READ_ALL, file, () -> disk.readAll(file));
    }

    @Override
    public Page page(Path file, byte[] initial) throws IOException {
        return call(Kind.PAGE, file, () -> disk.page(file, initial));
    }

    @Override
    public boolean isLocked(Path file) throws IOException {
        return call(Kind.IS_LOCKED, file, () -> disk.isLocked(file));
    }

    @Override
    public Bell bell(Path file) throws IOException {
        return call(Kind.BELL, file, () -> disk.bell(file));
    }

    @Override
    public long size(Path file) throws IOException {
        return call(Kind.SIZE, file, () -> disk.size(file));
    }

    @Override
    public List<String> list(Path folder) throws IOException {
        return call(Kind.LIST, folder, () -> disk.list(folder));
    }

    @Override
    public void createFolders(Path folder) throws IOException {
        run(Kind.CREATE_FOLDERS, folder, () -> disk.createFolders(folder));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        run(Kind.RENAME, to, () -> disk.rename(from, to));
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        run(Kind.LINK, name, () -> disk.link(existing, name));
    }

    @Override
    public void delete(Path file) throws IOException {
        run(Kind.DELETE, file, () -> disk.delete(file));
    }

    @Override
    public void syncFolder(Path folder) throws IOException {
        run(Kind.SYNC_FOLDER, folder, () -> disk.syncFolder(folder));
    }

    private interface Work {
        void run() throws IOException;
    }

    private void run(Kind kind, Path file, Work work) throws IOException {
        call(kind, file, () -> {
            work.run();
            return null;
        });
    }

    private <T> T call(Kind kind, Path file, Call<T> make) throws IOException {
        return call(kind, file, make, _ -> {});
    }

    private interface Partly {
        void run(double part) throws IOException;
    }

    private <T> T call(Kind kind, Path file, Call<T> make, Partly partly) throws IOException {
        callsByKind.get(kind).incrementAndGet();
        DiskCall call = new DiskCall(kind, file, calls.incrementAndGet());
        for (Hook hook : before) {
            hook.at(call);
        }
        for (Armed armed : faults) {
            if (armed.fault.where().test(call) && armed.fault.hits(armed.seen.incrementAndGet())) {
                armed.fired.add(call);
                partly.run(armed.fault.part());
                throw armed.fault.cause().get();
            }
        }
        T result = ignored.stream().anyMatch(which -> which.test(call)) ? null : make.make();
        for (Hook hook : after) {
            hook.at(call);
        }
        return result;
    }

    private final class FaultyFile extends ForwardingFile {
        private final Path path;

        FaultyFile(Path path, DiskFile file) {
            super(file);
            this.path = path;
        }

        @Override
        public int read(long position, byte[] into, int offset, int length) throws IOException {
            return call(Kind.READ, path, () -> file.read(position, into, offset, length));
        }

        @Override
        public long append(byte[] bytes, int offset, int length) throws IOException {
            return call(Kind.APPEND, path, () -> file.append(bytes, offset, length), part -> {
                int written = (int) (length * part);
                if (written > 0) {
                    file.append(bytes, offset, written);
                }
            });
        }

        @Override
        public long size() throws IOException {
            return call(Kind.SIZE, path, file::size);
        }

        @Override
        public void sync() throws IOException {
            run(Kind.SYNC, path, file::sync);
        }

        @Override
        public boolean tryLock() throws IOException {
            return call(Kind.TRY_LOCK, path, file::tryLock);
        }

        @Override
        public void unlock() throws IOException {
            run(Kind.UNLOCK, path, file::unlock);
        }
    }
}
