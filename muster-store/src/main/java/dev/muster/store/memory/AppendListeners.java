package dev.muster.store.memory;

import dev.muster.store.watch.Registration;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls the listeners for appends, never on the thread of the writer, because that thread may hold locks that a
 * listener takes. One virtual thread at a time calls them and ends when no append is left to report. Appends that
 * arrive meanwhile share the next round.
 */
final class AppendListeners {
    private static final System.Logger LOG = System.getLogger(AppendListeners.class.getName());

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicInteger pending = new AtomicInteger();

    /** A registered runnable with an identity of its own, because the same runnable may be registered twice. */
    private record Listener(Runnable wake, Object identity) {}

    Registration add(Runnable wake) {
        Listener listener = new Listener(wake, new Object());
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    void wake() {
        if (!listeners.isEmpty() && pending.getAndIncrement() == 0) {
            Thread.ofVirtual().name("muster-memory-wake").start(this::callAll);
        }
    }

    private void callAll() {
        int handled;
        do {
            handled = pending.get();
            listeners.forEach(AppendListeners::call);
        } while (pending.addAndGet(-handled) != 0);
    }

    private static void call(Listener listener) {
        try {
            listener.wake().run();
        } catch (Throwable e) {
            // Any failure: the other listeners and the next round must still be called.
            LOG.log(Level.WARNING, "a listener for appends failed", e);
        }
    }
}
