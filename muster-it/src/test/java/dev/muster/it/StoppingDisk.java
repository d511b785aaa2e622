package dev.muster.it;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A real disk that reports every lock right after it was taken. */
final class StoppingDisk {
    private StoppingDisk() {}

    static Disk over(Disk real, Consumer<Path> locked) {
        return Intercepted.on(Disk.class, real, (name, args, call) -> {
            boolean file = name.equals("openForAppend");
            return file ? over((DiskFile) call.make(), (Path) args[0], locked) : call.make();
        });
    }

    private static DiskFile over(DiskFile real, Path path, Consumer<Path> locked) {
        return Intercepted.on(DiskFile.class, real, (name, _, call) -> {
            Object result = call.make();
            if (name.equals("tryLock") && (Boolean) result) {
                locked.accept(path);
            }
            return result;
        });
    }
}
