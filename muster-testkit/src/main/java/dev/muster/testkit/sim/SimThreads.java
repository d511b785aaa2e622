package dev.muster.testkit.sim;

import java.lang.reflect.Constructor;
import java.util.concurrent.Executor;

/**
 * Makes virtual threads that a given executor schedules. Java offers this only to its own tests, so the JVM needs
 * {@code --add-opens java.base/java.lang=ALL-UNNAMED}.
 */
final class SimThreads {
    private static final Constructor<?> BUILDER = builder();

    private SimThreads() {}

    private static Constructor<?> builder() {
        try {
            Constructor<?> found = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            found.setAccessible(true);
            return found;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("this JVM cannot make virtual threads with a chosen scheduler", e);
        }
    }

    /** A thread that is not started. Each of its runs between two waits is given to the executor. */
    static Thread unstarted(String name, Executor scheduler, Runnable work) {
        try {
            return ((Thread.Builder.OfVirtual) BUILDER.newInstance(scheduler))
                    .name(name)
                    .unstarted(work);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("cannot make virtual thread " + name, e);
        }
    }
}
