package dev.muster.embedded;

import dev.muster.store.DamagedLogException;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.read.LogReader;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** A store that reports damage at chosen offsets of every partition. */
final class DamagedStore {
    private final LogStore store;
    private long from;
    private long to;

    DamagedStore(LogStore store) {
        this.store = store;
    }

    /** Reports damage from the first offset up to, not including, the next one. */
    void damage(long first, long next) {
        from = first;
        to = next;
    }

    LogStore asLogStore() {
        return around(LogStore.class, store);
    }

    private <T> T around(Class<T> type, T inner) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (inner instanceof LogReader reader && method.getName().equals("read")) {
                if (reader.position() >= from && reader.position() < to) {
                    throw new DamagedLogException("file", 0, from, to, "damage made by a test");
                }
            }
            return wrapped(call(method, inner, arguments));
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private Object wrapped(Object result) {
        return switch (result) {
            case PartitionLog log -> around(PartitionLog.class, log);
            case LogReader reader -> around(LogReader.class, reader);
            case null, default -> result;
        };
    }

    private static Object call(Method method, Object target, Object[] arguments) throws Throwable {
        try {
            method.setAccessible(true);
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
