package dev.muster.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Puts a few methods of one's own before those of something else. */
final class Wrapped {
    private Wrapped() {}

    /** @param own its methods, by name and parameters, are called instead of those of the target */
    static <T> T over(Class<T> type, T target, Object own) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            try {
                Method instead = find(own, method);
                if (instead != null) {
                    return instead.invoke(own, arguments);
                }
                if (method.isDefault() && !isOverridden(target, method)) {
                    // So that what it calls goes through here too.
                    return InvocationHandler.invokeDefault(proxy, method, arguments);
                }
                return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static boolean isOverridden(Object target, Method method) throws NoSuchMethodException {
        return !target.getClass()
                .getMethod(method.getName(), method.getParameterTypes())
                .isDefault();
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
