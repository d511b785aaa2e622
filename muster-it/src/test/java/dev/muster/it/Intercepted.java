package dev.muster.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Wraps an object so that a test can intercept each of its calls. */
final class Intercepted {
    private Intercepted() {}

    interface Interceptor {
        Object call(String method, Object[] args, RealCall real) throws Throwable;
    }

    interface RealCall {
        Object make() throws Throwable;
    }

    static <T> T on(Class<T> type, T real, Interceptor interceptor) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, args) -> {
            RealCall call = () -> {
                try {
                    return method.invoke(real, args);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            };
            return interceptor.call(method.getName(), args, call);
        }));
    }
}
