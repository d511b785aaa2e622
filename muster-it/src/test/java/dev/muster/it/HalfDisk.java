package dev.muster.it;

import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.disk.DiskFile;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A real disk that gets stuck within a write of records, says so, and waits there to be killed. */
final class HalfDisk {
    static final String WITHIN_A_WRITE = "within a write";

    // The first ones go through, so that there is something acknowledged that could be lost.
    private static final int WHOLE_WRITES = 20;
    // Marks of the store are no records.
    private static final int MARK_BYTES_MAX = 150;

    private HalfDisk() {}

    static Disk over(Disk real) {
        AtomicInteger writes = new AtomicInteger();
        return Spied.on(Disk.class, real, (name, args, call) -> {
            boolean log =
                    name.equals("openForAppend") && ((Path) args[0]).toString().endsWith(".log");
            return log ? over((DiskFile) call.make(), writes) : call.make();
        });
    }

    private static DiskFile over(DiskFile real, AtomicInteger writes) {
        return Spied.on(DiskFile.class, real, (name, args, call) -> {
            boolean records = name.equals("append") && (int) args[2] > MARK_BYTES_MAX;
            if (records && writes.incrementAndGet() > WHOLE_WRITES) {
                real.append((byte[]) args[0], (int) args[1], (int) args[2] / 2);
                System.out.println(WITHIN_A_WRITE);
                new CountDownLatch(1).await();
            }
            return call.make();
        });
    }
}
