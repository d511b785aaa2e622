package dev.muster.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Wraps an object so that a test can intercept each of its calls. */
final class Spied {
    private Spied() {}

    interface Spy {
        Object call(String method, Object[] args, RealCall real) throws Throwable;
    }

    interface RealCall {
        Object make() throws Throwable;
    }

    static <T> T on(Class<T> type, T real, Spy spy) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, args) -> {
            RealCall call = () -> {
                try {
                    return method.invoke(real, args);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            };
            return spy.call(method.getName(), args, call);
        }));
    }
}
