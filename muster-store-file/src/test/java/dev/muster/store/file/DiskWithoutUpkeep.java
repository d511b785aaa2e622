package dev.muster.store.file;

import dev.muster.disk.Disk;
import dev.muster.disk.Machine;
import dev.muster.disk.local.NativeDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.UUID;

/**
 * The disk of this machine, for stores whose upkeep never runs. The upkeep syncs records and looks at files once a
 * second, which may be between two lines of a test on a slow machine.
 */
final class DiskWithoutUpkeep {
    private static final Machine MACHINE = new Machine() {
        @Override
        public long nanoTime() {
            return THIS.nanoTime();
        }

        @Override
        public boolean sharesMonotonicClock() {
            return THIS.sharesMonotonicClock();
        }

        @Override
        public void pause(long nanos) {
            THIS.pause(nanos);
        }

        @Override
        public Thread thread(String name, Runnable work) {
            return THIS.thread(name, name.equals("muster-upkeep") ? () -> {} : work);
        }

        @Override
        public UUID newId() {
            return THIS.newId();
        }

        @Override
        public boolean runs(long pid, long startMs) {
            return THIS.runs(pid, startMs);
        }
    };

    private DiskWithoutUpkeep() {}

    static Disk make() {
        Disk real = NativeDisk.orFallback();
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (_, method, arguments) -> {
                    if (method.getName().equals("machine")) {
                        return MACHINE;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
