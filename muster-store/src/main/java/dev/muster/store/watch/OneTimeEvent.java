package dev.muster.store.watch;

import java.util.ArrayList;
import java.util.List;

/** An event that happens at most once, and its listeners. Each listener is called once, on a thread of its own. */
public final class OneTimeEvent {
    private final List<Listener> listeners = new ArrayList<>();
    private volatile boolean happened;

    /** A listener with an identity of its own, because the same runnable may be registered twice. */
    private static final class Listener {
        private final Runnable call;

        Listener(Runnable call) {
            this.call = call;
        }
    }

    public boolean hasHappened() {
        return happened;
    }

    /** Calls the listener when the event happens; at once if it has happened. */
    public synchronized Registration listen(Runnable call) {
        Listener listener = new Listener(call);
        if (happened) {
            start(listener);
        } else {
            listeners.add(listener);
        }
        return () -> remove(listener);
    }

    private synchronized void remove(Listener listener) {
        listeners.remove(listener);
    }

    /** The event happens. Further calls do nothing. */
    public synchronized void happens() {
        if (!happened) {
            happened = true;
            listeners.forEach(OneTimeEvent::start);
            listeners.clear();
        }
    }

    private static void start(Listener listener) {
        Thread.ofVirtual().name("muster-event").start(listener.call);
    }
}
