package dev.muster.embedded;

import dev.muster.store.DamagedLogException;
import dev.muster.store.LogReader;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** A store in which offsets of every partition can be made unreadable. */
final class DamagedStore {
    private final LogStore store;
    private long from;
    private long to;

    DamagedStore(LogStore store) {
        this.store = store;
    }

    /** From now on these offsets are damaged, the last one excluded. */
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
                    throw new DamagedLogException("file", 0, from, to, "a test says so");
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
