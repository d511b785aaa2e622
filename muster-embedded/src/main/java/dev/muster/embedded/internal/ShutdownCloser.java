package dev.muster.embedded.internal;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Closes consumers when the process ends by SIGTERM or {@code System.exit}. Closes all at the same time, and waits only
 * briefly, because the sender of the signal waits for the process to end.
 */
final class ShutdownCloser {
    private static final System.Logger LOG = System.getLogger(ShutdownCloser.class.getName());
    private static final long WAIT_MILLIS = 10_000;
    private static final Set<AutoCloseable> OPEN = ConcurrentHashMap.newKeySet();

    private static boolean registered;

    private ShutdownCloser() {}

    /** Closes this consumer at shutdown. */
    static void register(AutoCloseable consumer) {
        OPEN.add(consumer);
        synchronized (OPEN) {
            if (!registered) {
                registered = true;
                addHook();
            }
        }
    }

    private static void addHook() {
        try {
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().name("muster-shutdown").unstarted(ShutdownCloser::closeAll));
        } catch (IllegalStateException e) {
            // The process is ending already. The application closes this consumer, or it ends with the process.
            LOG.log(Level.DEBUG, "no shutdown hook: the process is ending", e);
        }
    }

    /** Forgets a consumer that has closed itself. */
    static void closedAlready(AutoCloseable consumer) {
        OPEN.remove(consumer);
    }

    private static void closeAll() {
        List<Thread> closing = new ArrayList<>();
        for (AutoCloseable consumer : OPEN) {
            closing.add(
                    Thread.ofPlatform().daemon().name("muster-shutdown-close").start(() -> close(consumer, OPEN)));
        }
        long end = System.nanoTime() + WAIT_MILLIS * 1_000_000;
        try {
            for (Thread thread : closing) {
                thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(AutoCloseable consumer, Set<AutoCloseable> from) {
        try {
            consumer.close();
        } catch (Exception e) {
            LOG.log(Level.WARNING, "a consumer could not be closed", e);
        }
        from.remove(consumer);
    }
}
