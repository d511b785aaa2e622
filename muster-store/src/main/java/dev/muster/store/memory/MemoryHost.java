package dev.muster.store.memory;

import dev.muster.core.group.model.HostId;
import dev.muster.store.watch.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A host that has the memory open. Groups treat it as a process of its own. */
final class MemoryHost {
    private final HostId id;
    private final AtomicLong renewals = new AtomicLong();
    private final List<Watch> watches = new ArrayList<>();
    private boolean gone;

    /** Equal to itself only, so that one listener can watch twice. */
    private static final class Watch {
        private final Consumer<HostId> listener;

        Watch(Consumer<HostId> listener) {
            this.listener = listener;
        }
    }

    MemoryHost(HostId id) {
        this.id = id;
    }

    HostId id() {
        return id;
    }

    void renew() {
        renewals.incrementAndGet();
    }

    long renewals() {
        return renewals.get();
    }

    synchronized Registration watch(Consumer<HostId> listener) {
        Watch watch = new Watch(listener);
        if (gone) {
            call(watch);
        } else {
            watches.add(watch);
        }
        return () -> forget(watch);
    }

    private synchronized void forget(Watch watch) {
        watches.remove(watch);
    }

    synchronized void end() {
        gone = true;
        watches.forEach(this::call);
        watches.clear();
    }

    private void call(Watch watch) {
        Thread.ofVirtual().name("muster-memory-gone").start(() -> watch.listener.accept(id));
    }
}
