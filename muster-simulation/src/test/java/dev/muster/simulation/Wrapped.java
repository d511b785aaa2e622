package dev.muster.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Overrides some methods of an object by a proxy. */
final class Wrapped {
    private Wrapped() {}

    /** @param own object whose methods, by name and parameters, replace those of the target */
    static <T> T over(Class<T> type, T target, Object own) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            try {
                Method instead = find(own, method);
                if (instead != null) {
                    return instead.invoke(own, arguments);
                }
                if (method.isDefault() && !method.getName().equals("machine")) {
                    // The calls of a default method pass through this proxy too.
                    return InvocationHandler.invokeDefault(proxy, method, arguments);
                }
                return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Method find(Object own, Method method) {
        try {
            Method found = own.getClass().getDeclaredMethod(method.getName(), method.getParameterTypes());
            found.setAccessible(true);
            return found;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}
