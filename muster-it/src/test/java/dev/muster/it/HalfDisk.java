package dev.muster.it;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/** A real disk that blocks in the middle of a write of records, prints that, and waits to be killed. */
final class HalfDisk {
    static final String WITHIN_A_WRITE = "within a write";

    private HalfDisk() {}

    /** @param due True if the next write must block; all earlier ones pass */
    static Disk over(Disk real, BooleanSupplier due) {
        return LogFiles.wrapped(real, log -> over(log, due));
    }

    private static DiskFile over(DiskFile real, BooleanSupplier due) {
        return Intercepted.on(DiskFile.class, real, (name, args, call) -> {
            boolean records = name.equals("append") && LogFiles.areRecords((int) args[2]);
            if (records && due.getAsBoolean()) {
                real.append((byte[]) args[0], (int) args[1], (int) args[2] / 2);
                System.out.println(WITHIN_A_WRITE);
                new CountDownLatch(1).await();
            }
            return call.make();
        });
    }
}
