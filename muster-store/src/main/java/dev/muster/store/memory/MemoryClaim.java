package dev.muster.store.memory;

import dev.muster.store.LogStore;
import dev.muster.store.watch.Registration;
import java.util.concurrent.atomic.AtomicBoolean;

/** A role in a memory. It is never lost. */
final class MemoryClaim implements LogStore.Claim {
    private final Memory memory;
    private final String role;
    private final AtomicBoolean held = new AtomicBoolean(true);

    MemoryClaim(Memory memory, String role) {
        this.memory = memory;
        this.role = role;
    }

    @Override
    public boolean isHeld() {
        return held.get();
    }

    @Override
    public Registration onLost(Runnable lost) {
        return () -> {};
    }

    @Override
    public void close() {
        if (held.compareAndSet(true, false)) {
            memory.roles.remove(role);
        }
    }
}
