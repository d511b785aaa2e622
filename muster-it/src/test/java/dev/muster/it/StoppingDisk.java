package dev.muster.it;

import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.disk.DiskFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A real disk that tells of every lock right after it was taken. */
final class StoppingDisk {
    private StoppingDisk() {}

    static Disk over(Disk real, Consumer<Path> locked) {
        return proxy(Disk.class, real, (name, args, result) -> {
            boolean file = name.equals("openForAppend");
            return file ? over((DiskFile) result, (Path) args[0], locked) : result;
        });
    }

    private static DiskFile over(DiskFile real, Path path, Consumer<Path> locked) {
        return proxy(DiskFile.class, real, (name, _, result) -> {
            if (name.equals("tryLock") && (Boolean) result) {
                locked.accept(path);
            }
            return result;
        });
    }

    private interface After {
        Object call(String method, Object[] args, Object result);
    }

    private static <T> T proxy(Class<T> type, T real, After after) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, args) -> {
            try {
                return after.call(method.getName(), args, method.invoke(real, args));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }
}
