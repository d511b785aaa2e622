package dev.muster.testkit.sim;

import java.lang.reflect.Constructor;
import java.util.concurrent.Executor;

/**
 * Makes virtual threads that run when and where an executor of ours says so. Java offers that to nobody but its own
 * tests: the JVM needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}.
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
            throw new LinkageError("this JVM has no virtual threads with a scheduler of one's own", e);
        }
    }

    /** A thread, not started, each stretch of which is given to the executor. */
    static Thread unstarted(String name, Executor scheduler, Runnable work) {
        try {
            return ((Thread.Builder.OfVirtual) BUILDER.newInstance(scheduler))
                    .name(name)
                    .unstarted(work);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("no virtual thread", e);
        }
    }
}
